// The API as OpenAPI 3.1 describes it, made from the routes that serve it.

import Commands
import GameFlow
import Posix

enum OpenAPI {
    /// Written once.
    static let text = document.description

    private static var document: JSON {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "gamed", "version": .string(gamedVersion),
                "description":
                    "Processes made of states and time. Errors have a code and a message; each code has one status.",
            ],
            "security": .array([["cookie": []], ["token": []], .object([])]),
            "paths": .object(paths), "components": ["schemas": .object(Schemas.all), "securitySchemes": schemes],
        ]
    }

    private static let schemes: JSON = [
        "cookie": ["type": "apiKey", "in": "cookie", "name": .string(RequestAuthenticator.cookie)],
        "token": ["type": "http", "scheme": "bearer"],
    ]

    /// Pages are for browsers.
    private static var documented: [Route] {
        Route.all.filter {
            ($0.contentType != "text/html" || $0.path == "/login") && $0.path != "/page/{file}" && $0.path != "/favicon.ico"
        }
    }

    private static var paths: [JSON.Member] {
        var paths: [JSON.Member] = []
        for route in documented where !paths.contains(where: { $0.name == route.path }) {
            let operations = documented.filter { $0.path == route.path }.map {
                JSON.Member($0.method.rawValue.lowercased(), operation($0))
            }
            paths.append(.init(route.path, .object(operations)))
        }
        return paths
    }

    private static func operation(_ route: Route) -> JSON {
        var members: [JSON.Member] = [
            .init("summary", .string(route.summary)), .init("operationId", .string(name(of: route))),
            .init("parameters", .array(parameters(of: route))),
        ]
        if route.needs.right != .nothing {
            members.append(.init("description", .string("Requires the role \(Role.least(with: route.needs.right)).")))
        }
        if route.access == .open { members.append(.init("security", [])) }
        if let body = route.body { members.append(.init("requestBody", requestBody(body))) }
        members.append(
            .init(
                "responses", .object([.init("\(route.status)", answer(of: route))] + redirects(of: route) + errors(of: route))))
        return .object(members)
    }

    private static func name(of route: Route) -> String {
        ([route.method.rawValue.lowercased()]
            + route.parts.map { part in
                switch part {
                case .word(let word): word
                case .parameter(let name): "of-\(name)"
                }
            }).joined(separator: "-")
    }

    private static func parameters(of route: Route) -> [JSON] {
        let inPath: [JSON] = route.parts.compactMap { part in
            guard case .parameter(let name) = part else { return nil }
            return ["name": .string(name), "in": "path", "required": true, "schema": ["type": "string", "minLength": 1]]
        }
        let inQuery: [JSON] = route.query.map { field in
            [
                "name": .string(field.name), "in": "query", "schema": field.querySchema, "description": .string(field.sentence),
            ]
        }
        return inPath + inQuery
            + route.headers.map { field in
                [
                    "name": .string(field.name), "in": "header",
                    "schema": ["type": "string", "pattern": "^[!#-~]{1,64}$"],
                    "description": .string(field.sentence),
                ]
            }
    }

    private static func requestBody(_ fields: [Field]) -> JSON {
        let schema: JSON = [
            "type": "object", "properties": .object(fields.map { .init($0.name, $0.schema) }),
            "required": .array(fields.filter(\.isRequired).map { .string($0.name) }), "additionalProperties": false,
        ]
        return ["required": .bool(fields.contains(where: \.isRequired)), "content": ["application/json": ["schema": schema]]]
    }

    private static func answer(of route: Route) -> JSON {
        guard route.status != 204 else { return ["description": "done"] }
        let schema: JSON = route.contentType == "application/json" ? Schemas.reference(route.answer) : ["type": "string"]
        return [
            "description": "the requested content",
            "content": .object(([route.contentType] + route.otherTypes).map { .init($0, ["schema": schema]) }),
        ]
    }

    /// Pages lead to the login, and the login to the page.
    private static func redirects(of route: Route) -> [JSON.Member] {
        guard route.contentType == "text/html" else { return [] }
        let place: JSON = ["description": "the address", "schema": ["type": "string"]]
        return [.init("303", ["description": "continue at another address", "headers": ["Location": place]])]
    }

    /// Every operation may meet any of them: one entry for each status.
    private static func errors(of route: Route) -> [JSON.Member] {
        let content: JSON = ["application/json": ["schema": Schemas.reference("Error")]]
        return Set(ErrorCode.statuses.map(\.status)).sorted().map { status in
            // An unhealthy node's response has the same shape as a healthy node's.
            if route.answer == "Health", status == 503 { return .init("\(status)", answer(of: route)) }
            let codes = ErrorCode.statuses.filter { $0.status == status }.map(\.code.text).joined(separator: ", ")
            return .init("\(status)", ["description": .string(codes), "content": content])
        }
    }
}

// MARK: - The shapes of answers.

enum Schemas {
    static let all: [JSON.Member] = [
        .init(
            "Error",
            object(
                ["error": text, "message": text],
                more: ["accepted": ["type": ["array", "null"], "items": text], "timer": textOrNull])),
        .init("View", view), .init("Row", row),
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

    fileprivate static func reference(_ name: String) -> JSON { ["$ref": .string("#/components/schemas/\(name)")] }
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
                    "name": text, "label": text, "kind": ["enum": ["countdown", "pendulum"]], "remaining_ms": number,
                    "length_ms": number,
                    "period_ms": ["type": ["integer", "null"]], "event": text, "paused": flag, "generation": number,
                ])),
            "postponed": list(of: object(["id": number, "event": text, "payload": anything, "age_ms": number])),
            "at_ms": number,
        ], more: ["expires_ms": number, "expires": ["enum": ["drop", "restart"]]])

    /// `aside` is the reason why a session is set aside.
    private static let row = object(
        [
            "name": text, "flow": text, "state": text, "life": number, "version": number, "paused": flag, "final": flag,
            "since_ms": number,
            "timer": ["type": ["object", "null"]],
        ], more: ["aside": text])

    /// Of one that has happened several times, `times` says how often, and the last of these are there.
    private static let line = object(
        [
            "seq": number, "life": ["type": ["integer", "null"]], "version": number, "at_ms": number, "what": text,
            "event": textOrNull, "payload": textOrNull, "source": text, "timer": textOrNull, "from": text, "to": text,
            "code": textOrNull, "refused": textOrNull, "accepted": ["type": ["array", "null"], "items": text],
            "actor": textOrNull, "times": number,
        ],
        more: ["t_ms": number, "definition": text, "last_at_ms": number, "last_seq": number, "last_version": number])

    private static let flow = object([
        "name": text, "states": list(of: text), "events": list(of: ["type": "object"]), "timers": list(of: ["type": "object"]),
        "parameters": list(of: ["type": "object"]), "file": textOrNull, "definition": textOrNull,
    ])
}
