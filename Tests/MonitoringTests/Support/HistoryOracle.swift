// Computes the expected metrics from the history entries that an observer receives.

import GameFlow
import Memory
import RESP
import Timers
@testable import Sessions

final class HistoryOracle: SessionObserver {
    struct Outcome: Hashable {
        let flow: String
        let source: String
        let what: String
    }
    struct State: Hashable {
        let flow: String
        let state: String
    }
    private struct Place {
        let flow: String
        var states: Set<String>
        var since: Instant
    }

    private(set) var outcomes: [Outcome: Int] = [:]
    private(set) var transitions: [String: Int] = [:]
    private var nanoseconds: [State: Int64] = [:]
    private var places: [ByteString: Place] = [:]

    override func session(_ session: Session, didRecord entry: borrowing HistoryEntry) -> ObserverInterest {
        let (kind, what) = (session.machine.kind, entry.kind)
        outcomes[Outcome(flow: kind.name, source: entry.cause.source.name, what: what.name), default: 0] += 1
        let name = kind.stateName(at: entry.to)
        if entry.from != entry.to { transitions[kind.name, default: 0] += 1 }
        leave(session.nameBytes, entry.at)
        let place = Place(flow: kind.name, states: Self.states(name), since: entry.at)
        places[session.nameBytes] = what == .dropped ? nil : place
        return .stays
    }

    private func leave(_ session: ByteString, _ now: Instant) {
        guard let place = places[session] else { return }
        for state in place.states {
            nanoseconds[State(flow: place.flow, state: state), default: 0] += now.nanoseconds - place.since.nanoseconds
        }
    }

    /// The seconds spent in each state until now.
    func seconds(at now: Instant) -> [State: Double] {
        for session in places.keys {
            leave(session, now)
            places[session]?.since = now
        }
        return nanoseconds.mapValues { Double($0) / 1e9 }
    }

    var current: [State: Int] {
        var counts: [State: Int] = [:]
        for place in places.values {
            for state in place.states { counts[State(flow: place.flow, state: state), default: 0] += 1 }
        }
        return counts
    }

    private static func states(_ name: String) -> Set<String> {
        var states: Set<String> = []
        for path in name.split(separator: ",") {
            let words = path.split(separator: ".")
            for count in 1...words.count { states.insert(words.prefix(count).joined(separator: ".")) }
        }
        return states
    }
}
