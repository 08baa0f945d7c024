// A move that both of the compared flows make.

import Timers

enum ComparedMove {
    case event(ComparedEvent)
    /// Time passes until the next timer fires.
    case wait
    /// Half of that time passes.
    case linger
    /// Time passes until this timer fires, and the others stand still.
    case timer(String)
}

/// An event with one payload to try.
struct ComparedEvent: CustomStringConvertible {
    let name: String
    let payload: JSON?
    let source: EventSource

    var description: String { payload.map { "\(name) \($0)" } ?? name }

    /// Every event that others than timers may send, by either flow, with every payload to try.
    static func all(of left: FlowKind, _ right: FlowKind) -> [ComparedEvent] {
        (left.eventNames + right.eventNames).withoutRepeats.flatMap { name in
            events(named: name, [left, right].compactMap { kind in kind.events.first { $0.name == name } })
        }
    }

    private static func events(named name: String, _ declared: [AcceptedEvent]) -> [ComparedEvent] {
        guard let source = source(of: declared) else { return [] }
        return payloads(of: declared).map { ComparedEvent(name: name, payload: $0, source: source) }
    }

    /// Nil where only timers send it.
    private static func source(of declared: [AcceptedEvent]) -> EventSource? {
        let common = declared.reduce(EventSources.anyone) { $0.intersection($1.sources) }
        let either = declared.reduce(EventSources()) { $0.union($1.sources) }
        let others = EventSource.allCases.filter { $0 != .timer }
        return others.first(where: common.contains) ?? others.first(where: either.contains)
    }

    /// What must be refused is tried where both declare what they carry.
    private static func payloads(of declared: [AcceptedEvent]) -> [JSON?] {
        let kinds = declared.compactMap(\.payload)
        guard !kinds.isEmpty else { return [nil] }
        let refused = kinds.count == 2 ? kinds.flatMap(\.refusedPayloads) : []
        return (kinds.flatMap(\.samplePayloads) + refused).withoutRepeats
    }
}
