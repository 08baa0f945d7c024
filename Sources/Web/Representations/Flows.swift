// A flow, as the page gets it.

import GameFlow
import Timers

extension FlowKind {
    var webJSON: JSON {
        [
            "name": .string(name), "states": .array(states.map { .string($0) }), "events": .array(events.map(\.webJSON)),
            "timers": .array(timers.map(timerJSON)), "parameters": .array(parameters.map(\.webJSON)),
            "file": origin.map { .string($0.file) } ?? .null, "definition": origin.map { .string($0.fingerprint) } ?? .null,
        ]
    }

    private func timerJSON(_ timer: TimerPlan) -> JSON {
        let isComputed = timersOfComputedLength.contains(timer.name)
        return [
            "name": .string(timer.name), "kind": .string(timer.kind.rawValue),
            "length_ms": isComputed ? .null : .integer(timer.length.milliseconds), "restart": .string(timer.restart.rawValue),
        ]
    }
}

extension AcceptedEvent {
    fileprivate var webJSON: JSON {
        [
            "name": .string(name), "label": .string(label), "payload": payload?.schema ?? .null,
            "sources": .array(sources.names.map { .string($0) }),
        ]
    }
}

extension Parameter {
    fileprivate var webJSON: JSON { ["name": .string(name), "schema": schema, "default": standard ?? .null] }
}
