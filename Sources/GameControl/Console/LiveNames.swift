// The daemon's current names, for completion. A failed request gives no names.

import Client
import RESP

struct LiveNames: CompletionSource {
    private static let maxCount = 200
    let daemon: DaemonClient

    func unrestoredSessions(beginningWith prefix: String) -> [String] {
        let words = ["SESSIONS", "0", "STATE", "!", "MATCH", Self.pattern(prefix)]
        guard case .array(let parts)? = try? daemon.ask(words), case .array(let names)? = parts.last else { return [] }
        return names.prefix(Self.maxCount).compactMap(\.text)
    }

    private static func pattern(_ prefix: String) -> String {
        prefix.map { "*?[]^-\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "*"
    }

    func sessions(beginningWith prefix: String) -> [String] {
        let pattern = Self.pattern(prefix)
        var names: [String] = []
        var cursor = "0"
        // A million sessions are not all listed, nor searched to the end.
        for _ in 0..<20 where names.count < Self.maxCount {
            guard case .array(let parts)? = try? daemon.ask(["SESSIONS", cursor, "MATCH", pattern, "COUNT", "1000"]),
                parts.count == 2, let next = parts[0].text, case .array(let found) = parts[1]
            else { break }
            names += found.compactMap(\.text)
            cursor = next
            if cursor == "0" { break }
        }
        return names
    }

    func flows() -> [String] { texts(["FLOWS"]) }

    func events(ofSession session: String) -> [String] { texts(["EVENTS", session]) }

    func timers(ofSession session: String) -> [String] {
        guard case .array(let timers)? = try? daemon.ask(["TIMERS", session]) else { return [] }
        return timers.compactMap { $0["name"]?.text }
    }

    func states(ofSession session: String) -> [String] {
        guard let flow = (try? daemon.ask(["STATE", session]))?["flow"]?.text,
            case .array(let states)? = (try? daemon.ask(["DESCRIBE", flow]))?["states"]
        else { return [] }
        return states.compactMap(\.text)
    }

    private func texts(_ words: [String]) -> [String] {
        guard case .array(let replies)? = try? daemon.ask(words) else { return [] }
        return replies.compactMap(\.text)
    }
}
