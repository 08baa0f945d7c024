// Replies as JSON, for programs that do not read RESP.

import JSON
import Texts

extension Reply {
    /// The reply as JSON. A state's data, which is a JSON text on the wire, becomes JSON as well.
    package var json: JSON { json(parsing: []) }

    /// The same; so do the values of these names in maps, and the elements of those that are arrays.
    package func json(parsing names: Set<String>) -> JSON {
        switch self {
        case .simple(let text), .verbatim(_, let text), .bigNumber(let text): .string(text)
        case .bulk(let bytes): .string(String(decoding: bytes, as: UTF8.self))
        case .integer(let value): .integer(value)
        case .double(let value): .number(value)
        case .boolean(let value): .bool(value)
        case .null: .null
        case .array(let replies), .set(let replies), .push(let replies): .array(replies.map { $0.json(parsing: names) })
        case .map(let pairs):
            .object(pairs.map { JSON.Member($0.key.text ?? $0.key.json.description, $0.json(parsing: names)) })
        case .error(let code, let text): Self.errorJSON(code: code, message: text)
        }
    }

    /// The JSON form of every error; `line` is that of a script.
    package static func errorJSON(code: ErrorCode, message: String, line: Int? = nil) -> JSON {
        let members: [JSON.Member] = [.init("code", .string(code.text)), .init("message", .string(message))]
        return ["error": .object(members + (line.map { [.init("line", .integer($0))] } ?? []))]
    }

    /// The value of a name in a map.
    package subscript(name: String) -> Reply? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key.text == name }?.value
    }
}

extension ReplyValue {
    /// The value as JSON. A member named "data" is JSON already, as in every reply.
    package var json: JSON {
        let buffer = ReplyBuffer(protocolVersion: .resp3)
        write(to: buffer)
        var reader = ReplyReader()
        guard let next = try? reader.next(in: buffer.unsent) else { preconditionFailure("a value writes one reply") }
        return next.reply.json
    }
}

extension Reply {
    /// The JSON that it has as a text; itself if it has none.
    fileprivate var parsed: JSON { text.flatMap { try? JSON(parsing: $0) } ?? json }
}

extension Reply.Pair {
    /// The value.
    fileprivate func json(parsing names: Set<String>) -> JSON {
        guard let name = key.text, name == "data" || names.contains(name) else { return value.json(parsing: names) }
        if case .array(let elements) = value { return .array(elements.map(\.parsed)) }
        return value.parsed
    }
}
