// The payload of an event that is being sent: a word of a request, or a value from within the process.

import GameFlow
import Memory
import RESP
import Texts

enum SentPayload {
    case none
    /// JSON or a bare word, not parsed yet.
    case word(Argument)
    /// Its maker keeps it until the request is carried out.
    case value(Borrowed<SentJSON>)

    var isNone: Bool { if case .none = self { true } else { false } }

    /// Throws if it is too long, or no JSON: refused like any payload that the event cannot have.
    func read(for call: Call) throws(Refusal) -> Payload? {
        let longest = call.host.limits.payloadBytes
        switch self {
        case .none: return nil
        case .word(let word):
            do throws(CommandError) {
                return try Payload.read(word, atMost: longest)
            } catch {
                throw word.count > longest ? .tooMany(call.sentence(of: error)) : .badEvent(error.sentence)
            }
        case .value(let value):
            let json = value.object.json
            do throws(CommandError) {
                try Payload.checkLength(json.description.utf8.count, atMost: longest)
            } catch {
                throw .tooMany(call.sentence(of: error))
            }
            return Payload(json)
        }
    }

    /// As the history keeps it: raw if it is not JSON, nothing if it is too long.
    func kept(atMost longest: Int) -> String? {
        switch self {
        case .none: return nil
        case .value(let value):
            let json = value.object.json
            return json.description.utf8.count > longest ? nil : json.kept
        case .word(let word):
            guard word.count <= longest else { return nil }
            do throws(JSONError) {
                return try Payload(bytes: word.bytes).kept
            } catch {
                let beginning = UnsafeRawBufferPointer(rebasing: word.bytes.prefix(JSON.maxKept + 4))
                return JSON.kept(Argument(beginning).repairedText)
            }
        }
    }

    /// The bytes that were sent; not called if there are none.
    func withBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        switch self {
        case .none: break
        case .word(let word): body(word.bytes)
        case .value(let value): value.object.json.description.utf8Span.span.withUnsafeBytes(body)
        }
    }
}

final class SentJSON {
    let json: JSON

    init(_ json: JSON) { self.json = json }
}

extension Payload {
    static func checkLength(_ length: Int, atMost longest: Int) throws(CommandError) {
        guard length > longest else { return }
        throw .limit(\.payloadBytes, "a payload has at most \(longest) bytes, not \(length)")
    }

    /// Throws if it is too long or not JSON.
    static func read(_ word: Argument, atMost longest: Int) throws(CommandError) -> Payload {
        try checkLength(word.count, atMost: longest)
        do throws(JSONError) {
            return try Payload(bytes: word.bytes)
        } catch {
            throw CommandError(.badEvent, "the payload is not JSON: \(error)")
        }
    }
}

extension WordParser<JSON> {
    /// JSON or a bare word, within the limit of payloads.
    static let json = WordParser(type: .any) { word, reader throws(CommandError) in
        try Payload.read(word, atMost: reader.call.host.limits.payloadBytes).json
    } fromJSON: { json, limits throws(CommandError) in
        try Payload.checkLength(json.description.utf8.count, atMost: limits.payloadBytes)
        return json
    }
}
