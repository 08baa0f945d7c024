// The shapes of answers, with all their members.

import GameFlow

enum Schemas {
    static let all: [JSON.Member] = [
        .init(
            "Error",
            object(
                ["error": text, "message": text],
                more: ["accepted": orNull(list(of: text)), "timer": textOrNull, "http": textOrNull])),
        .init("View", view), .init("Row", row),
        .init("SessionList", object(["sessions": list(of: reference("Row")), "cursor": text])),
        .init("Dropped", object(["dropped": flag, "undo_ms": number])), .init("Line", line),
        .init("History", object(["lines": list(of: reference("Line"))])),
        .init("Events", object(["events": list(of: event(namedBy: "event"))])),
        .init("Timers", object(["timers": list(of: timer)])), .init("Flow", flow),
        .init("FlowList", object(["flows": list(of: reference("Flow"))])), .init("Graph", graph),
        .init("Next", object(["timers": list(of: next)])),
        .init("Clock", object(["clock": ["enum": ["system", "virtual"]], "now_ms": number])),
        .init("Fired", object(["fired": number])), .init("Devices", object(["devices": list(of: device)])),
        .init("DeviceAnswer", object(["events": numberOrNull])),
        .init("Info", map(of: map(of: ["type": ["string", "integer"]]))), .init("Config", map(of: text)),
        .init("Message", object(["message": text])),
        .init("Reloaded", object(["lines": list(of: ["type": ["string", "object"]])])),
        .init("Live", object(["live": flag, "reason": text])), .init("Ready", object(["ready": flag, "reason": text])),
        .init("OpenAPI", ["type": "object"]), .init("Cluster", object(["cluster": orNull(cluster)])),
        .init("Sandbox", sandbox), .init("Nothing", .object([])),
    ]

    private static let text: JSON = ["type": "string"]
    private static let textOrNull: JSON = ["type": ["string", "null"]]
    private static let number: JSON = ["type": "integer"]
    private static let numberOrNull: JSON = ["type": ["integer", "null"]]
    private static let flag: JSON = ["type": "boolean"]
    private static let anything: JSON = .object([])

    static func reference(_ name: String) -> JSON { ["$ref": .string("#/components/schemas/\(name)")] }
    private static func list(of schema: JSON) -> JSON { ["type": "array", "items": schema] }
    private static func map(of schema: JSON) -> JSON { ["type": "object", "additionalProperties": schema] }
    private static func orNull(_ schema: JSON) -> JSON { ["anyOf": [schema, ["type": "null"]]] }

    /// All members are always there, but those in `more`.
    private static func object(_ properties: JSON, more: JSON = .object([])) -> JSON {
        guard case .object(let members) = properties, case .object(let others) = more else { return anything }
        return [
            "type": "object", "properties": .object(members + others), "required": .array(members.map { .string($0.name) }),
        ]
    }

    // MARK: Sessions

    private static let view = object(
        [
            "session": text, "flow": text, "state": text, "life": number, "version": number, "data": anything,
            "title": textOrNull, "text": textOrNull, "progress": ["type": ["number", "null"]], "paused": flag, "final": flag,
            "actions": list(
                of: object(
                    ["event": text, "label": text, "payload": ["type": ["object", "null"]]], more: ["sources": list(of: text)])),
            "timers": list(
                of: object([
                    "name": text, "label": text, "kind": timerKind, "remaining_ms": number, "length_ms": number,
                    "period_ms": numberOrNull, "event": text, "paused": flag, "generation": number,
                ])),
            "postponed": list(of: object(["id": number, "event": text, "payload": anything, "age_ms": number])),
            "at_ms": number,
        ], more: ["expires_ms": number, "expires": ["enum": ["drop", "restart"]]])

    /// `aside` is the reason why a session is set aside.
    private static let row = object(
        [
            "name": text, "flow": text, "state": text, "life": number, "version": number, "paused": flag, "final": flag,
            "since_ms": number,
            "timer": orNull(
                object([
                    "name": text, "kind": timerKind, "remaining_ms": number, "length_ms": number, "paused": flag,
                    "generation": number,
                ])),
        ], more: ["aside": text])

    private static let timer = object([
        "name": text, "kind": timerKind, "remaining_ms": number, "period_ms": numberOrNull, "event": text, "paused": flag,
        "generation": number, "length_ms": number, "deadline_ms": numberOrNull,
    ])

    private static let timerKind: JSON = ["enum": ["countdown", "pendulum"]]

    private static let next = object(["session": text, "timer": text, "event": textOrNull, "remaining_ms": number])

    /// Of one that has happened several times, `times` says how often, and the last of these are there.
    private static let line = object(
        [
            "seq": number, "life": numberOrNull, "version": number, "at_ms": number, "what": text, "event": textOrNull,
            "payload": textOrNull, "source": text, "timer": textOrNull, "from": text, "to": text, "code": textOrNull,
            "refused": textOrNull, "accepted": orNull(list(of: text)), "actor": textOrNull, "times": number,
        ],
        more: ["t_ms": number, "definition": text, "last_at_ms": number, "last_seq": number, "last_version": number])

    private static let sandbox = object([
        "id": text, "flow": text, "at_ms": number, "end_ms": number, "limit_ms": number, "next_ms": numberOrNull,
        "under_way": flag, "context": ["type": ["object", "null"]], "view": orNull(reference("View")),
        "children": list(of: text), "lines": list(of: reference("Line")),
        "steps": list(of: object(["at_ms": number, "session": text, "event": text, "payload": anything])),
        "standins": list(of: object(["name": text, "says": text])),
    ])

    // MARK: Flows

    private static let flow = object([
        "name": text, "states": list(of: text), "events": list(of: event(namedBy: "name")),
        "timers": list(of: object(["name": text, "kind": timerKind, "length_ms": numberOrNull, "restart": text])),
        "parameters": list(of: object(["name": text, "schema": ["type": "object"], "default": anything])),
        "file": textOrNull, "definition": textOrNull,
    ])

    private static func event(namedBy member: String) -> JSON {
        let others: [JSON.Member] = [
            .init("label", text), .init("payload", ["type": ["object", "null"]]), .init("sources", list(of: text)),
        ]
        return object(.object([.init(member, text)] + others))
    }

    private static let graph = object([
        "flow": text,
        "states": list(
            of: object([
                "id": text, "name": text, "kind": ["enum": ["atomic", "compound", "parallel", "final", "history"]],
                "final": flag, "initial": flag, "parent": textOrNull,
            ])),
        "edges": list(
            of: object([
                "id": text, "from": text, "to": text, "event": textOrNull, "timer": textOrNull, "guard": textOrNull,
                "label": text, "inner": flag,
            ])),
    ])

    // MARK: The daemon

    private static let device = object([
        "name": text, "address": text, "kind": text, "connected": flag, "says": list(of: text),
        "counts": object([
            "accepted": number, "refused": number, "no_session": number, "repeats": number, "unbound": number,
        ]),
    ])

    private static let cluster = object([
        "lease_ms": numberOrNull, "age_ms": numberOrNull, "loading": number, "failure": textOrNull, "shards": number,
        "unowned": number, "missing_flows": list(of: text),
        "differing_flows": list(
            of: object([
                "flow": text,
                "definitions": list(of: object(["definition": textOrNull, "nodes": list(of: text)])),
            ])),
        "nodes": list(
            of: object([
                "node": text, "address": textOrNull, "http": textOrNull, "myself": flag, "state": text, "shards": number,
                "missing_flows": list(of: text),
            ])),
        "moves": list(
            of: object(["ago_ms": number, "shard": number, "epoch": number, "from": textOrNull, "to": textOrNull])),
    ])
}
