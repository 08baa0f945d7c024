// What somebody does in a sandbox, to be done again whenever it is walked from its beginning.

import GameFlow
import Timers

/// A command to one of the sandbox's sessions.
enum SandboxDeed {
    case send(String, JSON?, EventSource)
    case pause(String?)
    case resume(String?)
    case extend(String, by: String)
    case force(String, JSON?)
}

struct SandboxStep {
    let at: Instant
    let session: String
    let deed: SandboxDeed

    /// As on the wire.
    var words: [String] {
        switch deed {
        case .send(let event, let payload, _): ["SEND", session, event] + Self.text(payload)
        case .pause(let timer): ["PAUSE", session] + (timer.map { [$0] } ?? [])
        case .resume(let timer): ["RESUME", session] + (timer.map { [$0] } ?? [])
        case .extend(let timer, let by): ["EXTEND", session, timer, by]
        case .force(let state, let data): ["FORCE", session, state] + Self.text(data)
        }
    }

    private static func text(_ json: JSON?) -> [String] { json.map { [$0.description] } ?? [] }

    var source: EventSource {
        switch deed {
        case .send(_, _, let source): source
        case .pause, .resume, .extend, .force: .ui
        }
    }

    /// Roughly the memory that it takes, in bytes.
    var size: Int { words.reduce(64) { $0 + $1.utf8.count } }

    /// For people: a deed that is no event has its command in place of one, as in a history.
    var json: JSON {
        let (event, payload): (String, JSON?) =
            switch deed {
            case .send(let event, let payload, _): (event, payload)
            case .pause(let timer): ("PAUSE", timer.map { ["timer": .string($0)] })
            case .resume(let timer): ("RESUME", timer.map { ["timer": .string($0)] })
            case .extend(let timer, let by): ("EXTEND", ["timer": .string(timer), "by": .string(by)])
            case .force(let state, let data): ("FORCE", ["state": .string(state), "data": data ?? .object([])])
            }
        return [
            "at_ms": .integer(Instant.zero.duration(to: at).milliseconds), "session": .string(session),
            "event": .string(event), "payload": payload ?? .null,
        ]
    }
}
