// A member of a request's body: its allowed values, for the check and for the documentation.

import Commands
import GameFlow
import RESP
import Texts

struct Field: Sendable {
    /// The greatest whole number that every reader of JSON keeps.
    private static let maxInteger = 9_007_199_254_740_991

    let name: String
    let kind: ArgumentType
    let isRequired: Bool
    let sentence: String
    /// Whether it may occur several times in a query.
    var isRepeatable = false

    static func needed(_ name: String, _ kind: ArgumentType, _ sentence: String) -> Field {
        Field(name: name, kind: kind, isRequired: true, sentence: sentence)
    }

    static func optional(_ name: String, _ kind: ArgumentType, _ sentence: String) -> Field {
        Field(name: name, kind: kind, isRequired: false, sentence: sentence)
    }

    static func repeatable(_ name: String, _ kind: ArgumentType, _ sentence: String) -> Field {
        Field(name: name, kind: kind, isRequired: false, sentence: sentence, isRepeatable: true)
    }

    /// The members that the path gives.
    private static let inPath = ["session", "device"]

    /// The members that a command is read from, but those that stand in the path.
    static func list<Request: CommandRequest>(of _: Request.Type) -> [Field] {
        Request.form.members.filter { !inPath.contains($0.member) }.map { argument in
            Field(name: argument.member, kind: argument.type, isRequired: !argument.isOptional, sentence: argument.summary)
        }
    }

    /// Some of them.
    static func list<Request: CommandRequest>(of request: Request.Type, only names: String...) -> [Field] {
        list(of: request).filter { names.contains($0.name) }
    }

    /// The same, but it may be left out.
    var optional: Field { Field(name: name, kind: kind, isRequired: false, sentence: sentence) }

    /// Of a member of a body.
    var schema: JSON { fullSchema(upTo: Self.maxInteger) }

    /// Of a parameter in a query, where no reader of JSON rounds a whole number.
    var querySchema: JSON {
        isRepeatable ? ["type": "array", "items": bareSchema(upTo: .max)] : fullSchema(upTo: .max)
    }

    private func fullSchema(upTo maxInteger: Int) -> JSON {
        let bare = bareSchema(upTo: maxInteger)
        guard case .object(let members) = bare else { return bare }
        let taken = members.map { member -> JSON.Member in
            // One that may be left out may be null.
            guard !isRequired, member.name == "type" else { return member }
            if case .array(let types) = member.value { return .init("type", .array(types + ["null"])) }
            return .init("type", [member.value, "null"])
        }
        return .object(taken + [JSON.Member("description", .string(sentence))])
    }

    private func bareSchema(upTo maxInteger: Int) -> JSON {
        switch kind {
        case .text: ["type": "string"]
        case .integer(let least): ["type": "integer", "minimum": .integer(least), "maximum": .integer(maxInteger)]
        case .choice(let words): ["enum": .array(words.map { .string($0) } + (isRequired || isRepeatable ? [] : [.null]))]
        case .flag: ["type": "boolean"]
        case .object: ["type": "object"]
        case .any: .object([])
        case .duration: ["type": ["string", "integer"], "pattern": .string(Self.durationPattern)]
        case .version:
            ["type": ["integer", "string"], "minimum": 0, "maximum": 4_294_967_295, "pattern": "^[0-9]+(:[0-9]+)?$"]
        }
    }

    /// Milliseconds, or amounts with their units.
    private static let durationPattern: String = {
        let amount = "([0-9]+(\\.[0-9]*)?|\\.[0-9]+)"
        return "^-?(\(amount)|(\(amount)(ms|us|ns|s|m|h|d))+)$"
    }()

    /// Whether this may stand in a query, where a whole number has the bounds of a command's word.
    func takes(query text: String) -> Bool {
        switch kind {
        case .integer(let least): Int(text).map { $0 >= least } ?? false
        case .choice: takes(.string(text))
        case .text, .flag, .object, .any, .duration, .version: true
        }
    }

    var words: String {
        switch kind {
        case .text: "a text"
        case .integer(let least): least == .min ? "a whole number" : "a whole number, \(least) or more"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .flag: "true or false"
        case .object: "an object"
        case .any: "any JSON"
        case .duration: "a duration, like \"10s\", or milliseconds"
        case .version: "a version, like 12 or \"1:12\""
        }
    }

    private func takes(_ value: JSON) -> Bool {
        switch (kind, value) {
        case (.any, _), (.text, .string), (.flag, .bool), (.object, .object): true
        case (.integer(let least), .integer(let value)): (least...Self.maxInteger).contains(value)
        case (.choice(let words), .string(let word)): words.contains(word)
        case (.duration, .string), (.duration, .integer), (.version, .string), (.version, .integer): true
        default: false
        }
    }

    /// Throws if the body is not an object of these fields.
    static func check(_ body: JSON, _ fields: [Field]) throws(CommandError) {
        guard case .object(let members) = body else { throw CommandError(.generic, "the body is a JSON object") }
        if let name = body.repeatedName {
            throw CommandError(.generic, "'\(name.shortened)' occurs twice in one object of the body")
        }
        for member in members {
            guard let field = fields.first(where: { $0.name == member.name }) else { throw unknown(member.name, fields) }
            // A member that is null is one that is not there, except where null is a value.
            if case .null = member.value, !field.isRequired { continue }
            guard field.takes(member.value) else { throw CommandError(.generic, "'\(field.name)' is \(field.words)") }
        }
        for field in fields where field.isRequired && body[field.name] == nil {
            throw CommandError(.generic, "'\(field.name)' is missing: \(field.sentence)")
        }
    }

    private static func unknown(_ name: String, _ fields: [Field]) -> CommandError {
        CommandError(.generic, "the body has no member '\(name.shortened)'; \(fields.map(\.name).advice(for: name))")
    }
}
