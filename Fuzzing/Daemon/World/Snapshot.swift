// The readable state of all sessions, as far as a restart must not change it.

import GameFlow
import Memory
import RESP
import Texts
@testable import Commands
@testable import Console

/// Four commands' replies on a session, and the sends with ids that it remembers.
struct SessionImage: Equatable {
    let state: Reply
    let timers: Reply
    let events: Reply
    let history: Reply
    let sent: [SentEvent]

    /// The difference in readable form.
    func difference(from other: SessionImage) -> String {
        [(state, other.state), (timers, other.timers), (events, other.events), (history, other.history)]
            .filter { $0.0 != $0.1 }.map { "\($0.0.readable)\n  and then\n\($0.1.readable)" }.joined(separator: "\n  and\n")
            + (sent == other.sent ? "" : "\n  and it remembers\n\(sent)\n  and then\n\(other.sent)")
    }
}

struct Snapshot: Equatable {
    let sessions: [ByteString: SessionImage]

    func difference(from other: Snapshot) -> String {
        Set(sessions.keys).union(other.sessions.keys).sorted().compactMap { name in
            switch (sessions[name], other.sessions[name]) {
            case (let first?, let second?): first == second ? nil : "'\(name.text)' is\n" + first.difference(from: second)
            case (_?, nil): "'\(name.text)' is gone"
            case (nil, _?): "'\(name.text)' is there again"
            case (nil, nil): nil
            }
        }.joined(separator: "\n")
    }
}

extension Reply {
    /// Leaves out values that a restart may change, at any place: times by the wall clock, and numbers of a run.
    var lasting: Reply {
        switch self {
        case .map(let pairs):
            .map(
                pairs.filter { !Self.passing.contains($0.key.text ?? "") }
                    .map { Pair(key: $0.key, value: $0.value.lasting) })
        case .array(let parts): .array(parts.map(\.lasting))
        case .simple, .error, .integer, .bulk, .null, .set, .push, .double, .boolean, .verbatim, .bigNumber: self
        }
    }

    /// The reply with the names of states cut after 8,000 bytes, as in a store.
    var asStored: Reply {
        switch self {
        case .map(let pairs): .map(pairs.map { Pair(key: $0.key, value: $0.value.asStored) })
        case .array(let parts): .array(parts.map(\.asStored))
        case .bulk(let bytes): .bulk(bytes.count > 7_900 ? Array(bytes.prefix(7_900)) : bytes)
        case .simple, .error, .integer, .null, .set, .push, .double, .boolean, .verbatim, .bigNumber: self
        }
    }

    /// The reply without the time of expiry, which a refused event changes, too.
    var untouched: Reply {
        guard case .map(let pairs) = self else { return self }
        return .map(pairs.filter { $0.key.text != "expires_ms" })
    }

    private static let passing: Set<String> = ["since_ms", "at_ms", "last_at_ms", "ago_ms", "generation", "deadline_ms"]

    subscript(key: String) -> Reply? {
        guard case .map(let pairs) = self else { return nil }
        return pairs.first { $0.key.text == key }?.value
    }

    var parts: [Reply] {
        switch self {
        case .array(let parts), .push(let parts), .set(let parts): parts
        case .map(let pairs): pairs.flatMap { [$0.key, $0.value] }
        case .simple, .error, .integer, .bulk, .null, .double, .boolean, .verbatim, .bigNumber: []
        }
    }

    var code: ErrorCode? {
        if case .error(let code, _) = self { code } else { nil }
    }

    var integer: Int? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The reply in readable form.
    var readable: String {
        switch self {
        case .bulk(let bytes): "\"" + String(decoding: bytes.prefix(300), as: UTF8.self) + "\""
        case .array(let parts), .push(let parts): "[" + parts.map(\.readable).joined(separator: ", ") + "]"
        case .map(let pairs): "{" + pairs.map { "\($0.key.readable): \($0.value.readable)" }.joined(separator: ", ") + "}"
        case .error(let code, let text): "-\(code) \(text)"
        case .simple(let text): "+\(text)"
        case .integer, .null, .set, .double, .boolean, .verbatim, .bigNumber: "\(self)"
        }
    }
}
