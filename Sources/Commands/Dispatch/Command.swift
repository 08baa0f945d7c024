// What a command is: its name, what it takes, what it is for, and what it does. One list serves the dispatcher, COMMAND DOCS,
// `gamectl help` and the manual.

import RESP
import Sessions

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
        /// Not everybody who may do with sessions what they like may use it, or some form of it.
        static let isGuarded = Flags(rawValue: 8)
        /// Carried out at once inside of a transaction, where others are queued.
        static let inTransaction = Flags(rawValue: 16)
    }

    /// A form of a command that needs something else than the others.
    package struct Form: Sendable {
        /// The word after the command's name; nil where any word makes it this form.
        package let word: StaticString?
        package let needs: Needs

        init(_ word: StaticString?, needs: Needs) { (self.word, self.needs) = (word, needs) }
    }

    package typealias Action = @Sendable (Call) throws(CommandError) -> Void

    package let word: StaticString
    package let name: String
    package let group: Group
    /// What it needs of its sender, but in the forms that need something else.
    package let needs: Needs
    /// As people read it: `SEND session event [payload]`.
    package let syntax: String
    /// What it does, in a sentence or two.
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
    /// The index of the one word that may be long: a payload, or what is only echoed.
    let longWord: Int?
    /// Identifies it in the flight record, which has no room for names.
    package let number: UInt16
    let run: Action

    init(
        name: StaticString, group: Group, needs: Needs, syntax: String, summary: String, details: String = "",
        examples: [String], words: ClosedRange<Int>, flags: Flags = [], forms: [Form] = [], keys: CommandKeys? = nil,
        longWord: Int? = nil,
        _ run: @escaping Action
    ) {
        word = name
        self.name = name.description
        self.group = group
        self.needs = needs
        self.forms = forms
        self.syntax = syntax
        self.summary = summary
        self.details = details
        self.examples = examples
        self.words = words
        let isGuarded = ([needs] + forms.map(\.needs)).contains { [.orchestrate, .administer].contains($0.right) }
        self.flags = isGuarded ? flags.union(.isGuarded) : flags
        self.keys = keys ?? (needs.reach == .session ? .first : .none)
        self.longWord = longWord
        number = UInt16(truncatingIfNeeded: Argument.foldedHash(of: self.name))
        self.run = run
    }

    static let anyNumber = 1_000_000
    /// The longest other word, in bytes: names, patterns, numbers.
    package static let longestWord = 16 << 10

    /// What these words need.
    func needs(_ words: Words) -> Needs { form(words)?.needs ?? needs }

    private func form(_ words: Words) -> Form? {
        guard !forms.isEmpty, words.count > 1 else { return nil }
        return forms.first { $0.word.map(words[1].isWord) ?? true }
    }

    /// The command as an error names it: `CONFIG SET`.
    func title(_ words: Words) -> String { form(words)?.word.map { "\(name) \($0)" } ?? name }

    /// How Redis counts words: exactly n, or at least n with a minus.
    var arity: Int { words.lowerBound == words.upperBound ? words.lowerBound : -words.lowerBound }
}
