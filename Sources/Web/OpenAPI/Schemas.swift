// The shapes of answers.

import GameFlow

enum Schemas {
    static let all: [JSON.Member] = [
        .init("Error", object(["error": text, "message": text])), .init("View", view), .init("Row", row),
        .init("SessionList", object(["sessions": list(of: reference("Row")), "cursor": text])),
        .init("Dropped", object(["dropped": flag, "undo_ms": number])), .init("Line", line),
        .init("History", object(["lines": list(of: reference("Line"))])),
        .init(
            "Events",
            object(["events": list(of: object(["event": text, "label": text, "payload": anything, "sources": list(of: text)]))])
        ),
        .init("Timers", object(["timers": list(of: ["type": "object"])])), .init("Flow", flow),
        .init("FlowList", object(["flows": list(of: reference("Flow"))])),
        .init(
            "Next",
            object(["timers": list(of: object(["session": text, "timer": text, "event": text, "remaining_ms": number]))])),
        .init("Clock", ["type": "object"]), .init("Fired", object(["fired": number])),
        .init("Devices", object(["devices": list(of: ["type": "object"])])),
        .init("DeviceAnswer", object(["events": ["type": ["integer", "null"]]])), .init("Info", ["type": "object"]),
        .init("Config", ["type": "object"]), .init("Message", object(["message": anything])),
        .init("Reloaded", object(["lines": anything])), .init("Health", object(["reason": text])),
        .init("OpenAPI", ["type": "object"]), .init("Cluster", object(["cluster": ["type": ["object", "null"]]])),
        .init("Graph", object(["states": list(of: ["type": "object"]), "edges": list(of: ["type": "object"])])),
        .init("Sandbox", object(["id": text, "flow": text, "at_ms": number, "end_ms": number, "view": anything])),
        .init("Nothing", .object([])),
    ]

    private static let text: JSON = ["type": "string"]
    private static let textOrNull: JSON = ["type": ["string", "null"]]
    private static let number: JSON = ["type": "integer"]
    private static let flag: JSON = ["type": "boolean"]
    private static let anything: JSON = .object([])

    private static func reference(_ name: String) -> JSON { ["$ref": .string("#/components/schemas/\(name)")] }
    private static func list(of schema: JSON) -> JSON { ["type": "array", "items": schema] }

    /// All members are always there, but those in `more`.
    private static func object(_ properties: JSON, more: JSON = .object([])) -> JSON {
        guard case .object(let members) = properties, case .object(let others) = more else { return anything }
        return [
            "type": "object", "properties": .object(members + others), "required": .array(members.map { .string($0.name) }),
        ]
    }

    private static let view = object(
        [
            "session": text, "flow": text, "state": text, "life": number, "version": number, "data": anything,
            "title": textOrNull,
            "text": textOrNull, "progress": ["type": ["number", "null"]], "paused": flag, "final": flag,
            "actions": list(of: object(["event": text, "label": text, "payload": ["type": ["object", "null"]]])),
            "timers": list(
                of: object([
                    "name": text, "kind": ["enum": ["countdown", "pendulum"]], "remaining_ms": number, "length_ms": number,
                    "period_ms": ["type": ["integer", "null"]], "event": text, "paused": flag, "generation": number,
                ])), "at_ms": number,
        ], more: ["expires_ms": number, "expires": ["enum": ["drop", "restart"]]])

    private static let row = object([
        "name": text, "flow": text, "state": text, "life": number, "version": number, "paused": flag, "final": flag,
        "since_ms": number,
        "timer": ["type": ["object", "null"]],
    ])

    /// Of one that has happened several times, `times` says how often, and the last of these are there.
    private static let line = object(
        [
            "seq": number, "version": number, "at_ms": number, "what": text, "source": text, "from": text, "to": text,
            "times": number,
        ],
        more: [
            "life": number, "event": textOrNull, "payload": textOrNull, "timer": textOrNull, "code": textOrNull,
            "refused": textOrNull, "accepted": ["type": ["array", "null"], "items": text], "actor": textOrNull,
            "last_at_ms": number, "last_seq": number, "last_version": number,
        ])

    private static let flow = object([
        "name": text, "states": list(of: text), "events": list(of: ["type": "object"]), "timers": list(of: ["type": "object"]),
        "parameters": list(of: ["type": "object"]), "file": textOrNull, "definition": textOrNull,
    ])
}
