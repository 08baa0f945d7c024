// The definition of a command: its name, arguments, purpose and action. One list serves the dispatcher, COMMAND DOCS, `gamectl help` and the manual.

import RESP

package final class Command: Sendable {
    /// Sections of the manual.
    package enum Group: String, Sendable, CaseIterable {
        case sessions = "Sessions"
        case time = "Time"
        case flows = "Flows"
        case bluetooth = "Bluetooth devices"
        case transactions = "Transactions"
        case subscriptions = "Subscriptions"
        case service = "The daemon"
        case connection = "The connection"

        /// Refused while sessions are being restored.
        var isAboutSessions: Bool { self == .sessions || self == .time || self == .bluetooth }
    }

    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Allowed on a subscribed RESP2 connection.
        static let whileSubscribed = Flags(rawValue: 1)
        /// Allowed before authentication.
        static let beforeAuthentication = Flags(rawValue: 2)
        /// Changes sessions.
        package static let changes = Flags(rawValue: 4)
        /// A form of it needs the right to orchestrate or administer, which guests lack although they may do anything with sessions.
        static let isGuarded = Flags(rawValue: 8)
        /// Carried out at once inside of a transaction, where others are queued.
        static let inTransaction = Flags(rawValue: 16)
    }

    /// A form of the command: the words that it takes, and what is done with them.
    package struct Form: Sendable {
        /// The word after the command's name; nil where any word makes it this form.
        package let word: StaticString?
        /// The rights that its sender needs, if they differ from the command's.
        package let needs: Needs?
        /// How many words it takes, with the command's name.
        let words: ClosedRange<Int>
        let argument: CommandArgument?
        let arguments: [CommandArgument]
        let run: Action

        private init<Values>(_ form: CommandForm<Values>, run: @escaping Action) {
            (word, needs, argument, arguments, self.run) = (form.word, form.needs, form.argument, form.arguments, run)
            words = form.words.lowerBound + 1...form.words.upperBound + 1
        }

        /// A form that other sides of the daemon use, too: its request has a type.
        init<Request: CommandRequest>(_: Request.Type) { self.init(Request.form, run: Request.action) }

        /// A form for RESP clients only, which is answered at once. `run` gets the parameters' values in their order.
        init<each Value, Reply: ReplyValue & SendableMetatype>(
            word: StaticString? = nil, needs: Needs? = nil, _ parameters: repeat CommandParameter<each Value>,
            run: @escaping @Sendable (Call, repeat each Value) throws(CommandError) -> Reply
        ) {
            let form = CommandForm(word: word, needs: needs, repeat each parameters) { (value: repeat each Value) in
                (repeat each value)
            }
            self.init(form) { call throws(CommandError) in
                let values = try form.read(call)
                call.deliver(.now(try run(call, repeat each values)))
            }
        }
    }

    package typealias Action = @Sendable (Call) throws(CommandError) -> Void

    package let word: StaticString
    package let name: String
    package let group: Group
    /// The right it requires of its sender; forms may require another.
    package let needs: Needs
    /// As people read it: `SEND session event [payload]`.
    package let syntax: String
    /// The arguments after its name.
    package let arguments: [CommandArgument]
    /// Its effect, in a sentence or two.
    package let summary: String
    /// More help; may be empty.
    package let details: String
    package let examples: [String]
    /// How many words it takes, including the name.
    package let words: ClosedRange<Int>
    package let flags: Flags
    package let forms: [Form]
    /// Which of its words name sessions.
    package let keys: CommandKeys
    /// The index of the one word that may be long: a payload, or a word that is only echoed.
    let longWord: Int?
    /// Identifies it in the flight record, which has no room for names.
    package let number: UInt16
    /// Whether a word after its name says which form a call has.
    private let hasForms: Bool
    let run: Action

    init(
        name: StaticString, group: Group, needs: Needs, summary: String, details: String = "", examples: [String],
        flags: Flags = [], keys: CommandKeys? = nil, longWord: Int? = nil, _ forms: Form...
    ) {
        word = name
        self.name = name.description
        (self.group, self.needs) = (group, needs)
        (self.summary, self.details, self.examples) = (summary, details, examples)
        self.forms = forms
        arguments = Self.arguments(of: forms)
        syntax = ([self.name] + arguments.map(\.syntax)).joined(separator: " ")
        words = (forms.map(\.words.lowerBound).min() ?? 1)...(forms.map(\.words.upperBound).max() ?? 1)
        let isGuarded = forms.contains { [.orchestrate, .administer].contains(($0.needs ?? needs).right) }
        self.flags = isGuarded ? flags.union(.isGuarded) : flags
        self.keys = keys ?? (needs.reach == .session ? .first : .none)
        self.longWord = longWord
        number = UInt16(truncatingIfNeeded: Argument.foldedHash(of: self.name))
        hasForms = forms.count > 1 || forms[0].word != nil
        run = hasForms ? Self.runForm : forms[0].run
    }

    private static func runForm(_ call: Call) throws(CommandError) { try call.command.form(of: call).run(call) }

    /// The arguments of all forms: a choice if there are several, optional if one form takes nothing.
    private static func arguments(of forms: [Form]) -> [CommandArgument] {
        if forms.count == 1, forms[0].word == nil { return forms[0].arguments }
        let choices = forms.compactMap(\.argument)
        let isOptional = choices.count < forms.count
        guard let first = choices.first else { return [] }
        guard choices.count == 1 else { return [CommandArgument(first.name, .oneOf(choices), isOptional: isOptional)] }
        var only = first
        only.isOptional = isOptional
        return [only]
    }

    static let anyNumber = 1_000_000
    /// The longest other word, in bytes: names, patterns, numbers.
    package static let maxWordLength = 16 << 10

    // MARK: Forms

    /// The form that these words are, if the command has several.
    private func form(_ words: Words) -> Form? {
        guard hasForms else { return nil }
        guard words.count > 1 else { return forms.first { $0.argument == nil } }
        return forms.first { $0.word.map(words[1].isWord) ?? ($0.argument != nil) }
    }

    /// The form of a call. Throws if it has none, or not as many words.
    private func form(of call: Call) throws(CommandError) -> Form {
        guard let form = form(call.arguments) else {
            guard call.count > 1 else { throw .syntax(syntax) }
            throw CommandError(.generic, "unknown subcommand '\(call.quoted(1))'; usage: \(syntax)")
        }
        guard form.words.contains(call.count) else {
            throw CommandError(.generic, "wrong number of arguments for '\(title(call.arguments))'; usage: \(syntax)")
        }
        return form
    }

    /// The rights that these words need.
    func needs(_ words: Words) -> Needs { form(words)?.needs ?? needs }

    /// Whether a form with these needs changes sessions: those that only read do not.
    func changes(needing needs: Needs) -> Bool { flags.contains(.changes) && needs.right != .read }

    /// The command as an error names it: `CONFIG SET`.
    func title(_ words: Words) -> String { form(words)?.word.map { "\(name) \($0)" } ?? name }

    /// Whether its last word is a duration, which people write as two.
    package var takesDuration: Bool { arguments.last?.type == .duration }

    /// How Redis counts words: exactly n, or at least n with a minus.
    var arity: Int { words.lowerBound == words.upperBound ? words.lowerBound : -words.lowerBound }
}

// MARK: - Commands by name, case-insensitive

package final class CommandTable: Sendable {
    /// Sorted by name.
    package let commands: [Command]
    /// A hash table with linear probing.
    private let slots: [Command?]

    init(_ commands: [Command]) {
        self.commands = commands.sorted { $0.name < $1.name }
        var slots = [Command?](repeating: nil, count: 256)
        for command in commands {
            var slot = Self.slot(Argument.foldedHash(of: command.name))
            while slots[slot] != nil { slot = (slot + 1) % slots.count }
            slots[slot] = command
        }
        self.slots = slots
    }

    private static func slot(_ hash: UInt64) -> Int { Int(hash & 255) }

    package func find(_ word: Argument) -> Command? {
        var slot = Self.slot(word.foldedHash)
        while let command = slots[slot] {
            if word.isWord(command.word) { return command }
            slot = (slot + 1) % slots.count
        }
        return nil
    }

    package subscript(name: String) -> Command? {
        name.utf8Span.span.withUnsafeBytes { find(Argument($0)) }
    }
}
