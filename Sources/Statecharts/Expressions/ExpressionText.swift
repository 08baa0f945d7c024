// An expression's text, looked through: which names it mentions, and what of it Lua compiles.

import CLua
import Texts

/// Why an expression's text does not compile.
package struct TextProblem: Error, CustomStringConvertible {
    /// The byte of the text where it is wrong.
    var offset = 0
    var sentence: String
    /// Whether the sentence is about the whole expression, and begins with a verb.
    var isAboutWhole = false

    package var description: String { isAboutWhole ? "an expression \(sentence)" : sentence }
}

/// The names that a text mentions. Lua has checked its syntax.
struct ExpressionText {
    private let text: String
    private let tokens: [Token]
    private let variables: [String: Int]
    /// The number of the first of its texts.
    private let firstText: Int
    /// The names that its functions declare.
    private let declared: Set<String>
    /// Without functions it has no statements, no loops and no local names.
    private let hasFunctions: Bool
    private let hasWholeEvent: Bool

    private(set) var mentions = ExpressionMentions()
    private(set) var parameters: [ExpressionParameter] = []
    private(set) var names: [ShownName] = []
    private(set) var texts: [String] = []
    private(set) var libraries: UInt64 = 0
    /// Tokens that stand for one parameter, and its name.
    private var replacements: [(range: Range<Int>, name: String)] = []

    static let maxParameters = 100

    init(_ text: String, tokens: [Token], variables: [String: Int], firstText: Int) throws(TextProblem) {
        (self.text, self.tokens, self.variables, self.firstText) = (text, tokens, variables, firstText)
        hasFunctions = tokens.contains { $0.isKeyword("function") }
        declared = hasFunctions ? tokens.declaredNames : []
        let events = tokens.indices.filter { tokens[$0].name == "event" && !tokens.isField($0) }
        hasWholeEvent = hasFunctions || !events.allSatisfy { tokens.fieldName(after: $0) != nil }
        for index in tokens.indices { try inspectToken(at: index) }
        guard parameters.count <= Self.maxParameters else {
            throw TextProblem(
                sentence: "mentions \(parameters.count) names; \(Self.maxParameters) are allowed",
                isAboutWhole: true)
        }
    }

    // MARK: Names

    private mutating func inspectToken(at index: Int) throws(TextProblem) {
        guard let name = tokens[index].name, !tokens.isField(index), !tokens.isLabel(index) else { return }
        if name == "_ENV" { throw absent(name, index) }
        guard !tokens.isAssigned(index) else { return }
        if name == "state" || name == "remaining" { return try inspectCall(of: name, at: index) }
        if let variable = variables[name] {
            return add(ExpressionParameter(kind: .variable, number: Int32(variable)), name)
        }
        if name == "event" { return inspectEvent(index) }
        if let kind = Self.ofSession[name] { return add(ExpressionParameter(kind: kind), name) }
        if try inspectLibrary(name, index) { return }
        if declared.contains(name) { return }
        throw ExpressionNames.absent[name] == nil ? unknown(name, index) : absent(name, index)
    }

    private static let ofSession: [String: ExpressionParameter.Kind] = [
        "source": .source, "elapsed": .elapsed, "session": .session, "parent": .parent,
    ]

    /// A table for the event is made only where a field of it is not enough.
    private mutating func inspectEvent(_ index: Int) {
        let field = tokens.fieldName(after: index)
        if let field, !hasFunctions, !mentions.fields.contains(where: { $0.text == field }) {
            mentions.fields.append(ExpressionMentions.Name(text: field, offset: tokens[index + 2].range.lowerBound))
        }
        guard !hasWholeEvent, let field else {
            return add(ExpressionParameter(kind: .event), "event")
        }
        replace(
            tokens[index].range.lowerBound..<tokens[index + 2].range.upperBound, by: .eventField, field, shown: "event." + field
        )
    }

    /// `state("a.b")`: the argument is known now, so it is looked up before Lua is called.
    private mutating func inspectCall(of name: String, at index: Int) throws(TextProblem) {
        guard let argument = tokens.textArgument(after: index) else {
            let example = name == "state" ? "state(\"lobby.ready\")" : "remaining(\"round\")"
            let what = name == "state" ? "the path of a state" : "the name of a timer"
            throw problem(at: index, "'\(name)' takes \(what) in quotes: \(example)")
        }
        let mention = ExpressionMentions.Name(text: argument.text, offset: tokens[argument.index].range.lowerBound)
        if name == "state" { mentions.states.append(mention) } else { mentions.timers.append(mention) }
        let range = tokens[index].range.lowerBound..<tokens[argument.last].range.upperBound
        replace(range, by: name == "state" ? .active : .remaining, argument.text, shown: "\(name)(\"\(argument.text)\")")
    }

    private mutating func inspectLibrary(_ name: String, _ index: Int) throws(TextProblem) -> Bool {
        guard let bit = Library.all.firstIndex(where: { $0.name == name }) else { return false }
        libraries |= 1 << UInt64(bit)
        let members = Library.all[bit].members
        guard !members.isEmpty, !declared.contains(name), let member = tokens.fieldName(after: index), !members.contains(member)
        else {
            return true
        }
        let whole = "\(name).\(member)"
        if let reason = ExpressionNames.absentMembers[whole] {
            throw problem(at: index, "there is no '\(whole)' here: \(reason)")
        }
        let closest = Suggestion.closest(to: member, among: members).map { "\(name).\($0)" }
        throw problem(at: index, "there is no '\(whole)'\(meant(closest))")
    }

    // MARK: Parameters

    private mutating func add(_ parameter: ExpressionParameter, _ name: String, shown: String? = nil) {
        guard !names.contains(where: { $0.inLua == name }) else { return }
        parameters.append(parameter)
        names.append(ShownName(inLua: name, shown: shown ?? name))
    }

    private mutating func replace(_ range: Range<Int>, by kind: ExpressionParameter.Kind, _ argument: String, shown: String) {
        let name = names.first { $0.shown == shown }?.inLua ?? freeName
        replacements.append((range, name))
        guard !names.contains(where: { $0.inLua == name }) else { return }
        add(ExpressionParameter(kind: kind, number: Int32(firstText + texts.count)), name, shown: shown)
        texts.append(argument)
    }

    /// A name that the text does not have.
    private var freeName: String {
        var name = "value\(parameters.count)"
        while tokens.contains(where: { $0.name == name }) { name += "_" }
        return name
    }

    // MARK: The text that Lua compiles

    /// All instructions count, loops or not. The remainder of two fractions takes as long as eight others, and a fraction in words as four.
    var counting: gl_counting {
        let hasRemainder = tokens.contains { $0.isSymbol("%") }
        let hasJoining = tokens.contains { $0.isSymbol("..") }
        return gl_counting(
            weight: hasRemainder ? 8 : hasJoining ? 4 : 1, calls: text.contains("...") ? 1 : 0,
            most: UInt32(GL_STEPS.rawValue))
    }

    /// A chunk that takes the libraries and returns the expression's function.
    var chunk: String {
        let used = Library.all.indices.filter { libraries >> UInt64($0) & 1 == 1 }.map { Library.all[$0].name + " <const>" }
        let beginning = used.isEmpty ? "" : "local \(used.joined(separator: ", ")) = ...\n"
        return "\(beginning)return function(\(names.map(\.inLua).joined(separator: ", ")))\nreturn (\n\(replaced)\n)\nend"
    }

    private var replaced: String {
        let bytes = Array(text.utf8)
        var (result, offset): ([UInt8], Int) = ([], 0)
        for (range, name) in replacements {
            result += bytes[offset..<range.lowerBound] + " \(name) ".utf8
            offset = range.upperBound
        }
        return String(decoding: result + bytes[offset...], as: UTF8.self)
    }

    // MARK: Sentences

    private func absent(_ name: String, _ index: Int) -> TextProblem {
        let reason = ExpressionNames.absent[name].map { ": " + $0 } ?? ""
        return problem(at: index, "there is no '\(name)' here\(reason)")
    }

    private func unknown(_ name: String, _ index: Int) -> TextProblem {
        let known = variables.keys.sorted() + ExpressionNames.ofSession + ExpressionNames.ofLibraries
        let closest = Suggestion.closest(to: name, among: known)
        let quotes = SyntaxHints.adviceAboutQuotes(text, tokens).map { "; " + $0 }
        let advice = closest == nil ? quotes ?? declaration(of: name, index) : meant(closest)
        return problem(at: index, "there is no variable '\(name.shortened)'\(advice)")
    }

    /// The advice to declare a variable, as an object if a field of it is read; empty for a function.
    private func declaration(of name: String, _ index: Int) -> String {
        if name == "null" || name == "undefined" { return "; write 'nil'" }
        if name == "context" { return "; write a variable's name alone, without 'context.'" }
        let next = index + 1 < tokens.count ? tokens[index + 1] : nil
        guard next?.isSymbol("(") != true, next?.isSymbol(":") != true else { return "" }
        let advice = "; declare it: context: { \(name.shortened): \(next?.isSymbol(".") == true ? "{}" : "0") }"
        return isCompared(index) ? advice + ", or write the text in quotes: '\(name.shortened)'" : advice
    }

    private func isCompared(_ index: Int) -> Bool {
        [index - 1, index + 1].contains { tokens.indices.contains($0) && ["==", "~="].contains(where: tokens[$0].isSymbol) }
    }

    private func problem(at index: Int, _ sentence: String) -> TextProblem {
        TextProblem(offset: tokens[index].range.lowerBound, sentence: sentence)
    }

    private func meant(_ word: String?) -> String { word.map { "; did you mean '\($0)'?" } ?? "" }
}

// MARK: - Parameters of an expression's function: one for each name that the expression mentions, so that nothing else is handed over

/// A value that is handed over for one name. Its text, if it has one, is among the texts of its owner.
struct ExpressionParameter: BitwiseCopyable {
    enum Kind: UInt8, BitwiseCopyable {
        case variable
        /// The whole event, as a table.
        case event
        /// One field of it, by name.
        case eventField
        case source
        case elapsed
        case session
        case parent
        /// Whether the state with that path is active.
        case active
        /// The remaining time of the timer with that name.
        case remaining
    }

    var kind: Kind
    /// A variable's index in the context, or the index of the parameter's text.
    var number: Int32 = 0
}

/// The texts that an expression hands to `state` and `remaining`, and the fields of its event.
struct ExpressionMentions {
    struct Name {
        var text: String
        /// The byte of the expression's text where it stands, quotes included.
        var offset: Int
    }

    var states: [Name] = []
    var timers: [Name] = []
    /// Each field once. None if there are functions, which may declare the name `event`.
    var fields: [Name] = []
}
