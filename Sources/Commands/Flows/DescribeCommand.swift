// DESCRIBE: a flow's states, events, timers and parameters.

import GameFlow
import RESP

extension Command {
    static let describe = Command(
        name: "DESCRIBE", group: .flows, needs: .reads(.nothing),
        summary: "Shows a flow's states, events, timers and parameters.",
        details: """
            Events are shown with their payload and permitted sources, timers with their length and restart policy; \
            `length_ms` is null if the length is computed when the timer starts. Parameters are shown with their allowed \
            values and defaults; NEW takes them as `context`. `schema` is the JSON Schema of an event's payload or of a \
            parameter; `fields` is the same for the data of states, which FORCE and NEW check. A flow read from a file has \
            `file`, and `definition`, a hash of its definition.
            """,
        examples: ["DESCRIBE game"],
        Form(.required("flow", .text)) { call, flow throws(CommandError) in
            DescribeReply(kind: try call.host.flow(named: flow))
        })
}

struct DescribeReply: MapValue {
    let kind: FlowKind

    func write(to map: inout MapWriter) {
        map.field("flow", kind.name)
        map.field("states", kind.states)
        map.field("events", Maps(of: kind.events, write))
        map.field("timers", kind.describedTimers)
        if !kind.parameters.isEmpty {
            map.field("parameters", Maps(of: kind.parameters, write))
        }
        if !kind.fields.isEmpty { map.field("fields", kind.fields.map { $0.schema.description }) }
        if let origin = kind.origin {
            map.field("file", origin.file)
            map.field("definition", origin.fingerprint)
        }
    }

    private func write(_ parameter: Parameter, to map: inout MapWriter) {
        map.field("name", parameter.name)
        map.field("allowed", parameter.allowed)
        map.field("default", parameter.standard?.description)
        map.field("schema", parameter.schema.description)
    }

    private func write(_ event: AcceptedEvent, to map: inout MapWriter) {
        map.field("name", event.name)
        map.field(
            "payload", event.payload.map { "\($0.name): \($0.shape.rawValue)\($0.hint.map { ", \($0)" } ?? "")" })
        map.field("from", event.sources.names)
        map.field("label", event.label)
        map.field("schema", event.payload?.schema.description)
    }
}

extension FlowKind {
    package var describedTimers: Maps<TimerPlan> {
        Maps(of: timers) { [timersOfComputedLength] timer, map in
            map.field("name", timer.name)
            map.field("kind", timer.kind.rawValue)
            map.field("length_ms", timersOfComputedLength.contains(timer.name) ? nil : timer.length.milliseconds)
            map.field("restart", timer.restart.rawValue)
        }
    }
}
