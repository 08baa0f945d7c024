// The payload of an event that is being sent: a word of a request, or a value from within the process.

import GameFlow
import Memory
import RESP

enum SentPayload {
    case none
    /// JSON or a bare word, not parsed yet.
    case word(Argument)
    /// Its maker keeps it until the request is carried out.
    case value(Borrowed<SentJSON>)

    var isNone: Bool { if case .none = self { true } else { false } }

    /// Throws if it is too long, or no JSON.
    func read(atMost longest: Int) throws(RefusalFacts) -> Payload? {
        switch self {
        case .none: return nil
        case .word(let word): return try Payload.read(word, atMost: longest)
        case .value(let value):
            let json = value.object.json
            try Payload.checkLength(json.description.utf8.count, atMost: longest)
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
                return try Payload(bytes: word.bytes, within: .payload).kept
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
    fileprivate static func checkLength(_ length: Int, atMost longest: Int) throws(RefusalFacts) {
        if length > longest { throw .overLimit(.payloadBytes(length, atMost: longest)) }
    }

    /// Throws if it is too long, not JSON or beyond the bounds.
    fileprivate static func read(
        _ word: Argument, atMost longest: Int, within bounds: JSONBounds = .payload
    ) throws(RefusalFacts) -> Payload {
        try checkLength(word.count, atMost: longest)
        do throws(JSONError) {
            return try Payload(bytes: word.bytes, within: bounds)
        } catch {
            throw .notJSON(error)
        }
    }
}

extension CommandError {
    /// A value that is no payload of an event.
    init(_ facts: RefusalFacts) { self.init(facts, facts.sentence(event: "", in: "", from: ""), nil) }

    /// The error for these facts. A limit that the operator has set comes with advice.
    init(_ facts: RefusalFacts, _ sentence: String, _ eventFacts: RefusedEventFacts?) {
        if case .overLimit(let limit) = facts, limit.isOfPayload {
            self = .limit(\.payloadBytes, sentence)
        } else {
            self.init(facts.code, sentence, eventFacts)
        }
    }
}

extension JSON {
    /// A value in a request that is no payload of an event, within the limit of payloads.
    init(_ word: Argument, atMost longest: Int) throws(CommandError) {
        do throws(RefusalFacts) {
            self = try Payload.read(word, atMost: longest, within: .request).json
        } catch {
            if case .notJSON(let error) = error, error.hasTooManyValues {
                throw CommandError(.badEvent, "the JSON has \(error.problem)")
            }
            throw CommandError(error)
        }
    }
}

extension WordParser<JSON> {
    /// JSON or a bare word, within the limit of payloads.
    static let json = WordParser(type: .any) { word, reader throws(CommandError) in
        try JSON(word, atMost: reader.call.host.limits.payloadBytes)
    } fromJSON: { json, limits throws(CommandError) in
        do throws(RefusalFacts) {
            try Payload.checkLength(json.description.utf8.count, atMost: limits.payloadBytes)
            return json
        } catch {
            throw CommandError(error)
        }
    }
}
