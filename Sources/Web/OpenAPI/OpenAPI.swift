// The API as OpenAPI 3.1 describes it, made from the routes that serve it.

import Commands
import GameFlow
import Posix

enum OpenAPI {
    /// `cookie` is the name of the cookie that has a login.
    static func text(cookie: String) -> String { document(cookie).description }

    private static func document(_ cookie: String) -> JSON {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "gamed", "version": .string(gamedVersion),
                "description":
                    "Processes made of states and time. Errors have a code and a message; each code has one status.",
            ],
            "security": .array([["cookie": []], ["token": []], .object([])]),
            "paths": .object(paths), "components": ["schemas": .object(Schemas.all), "securitySchemes": schemes(cookie)],
        ]
    }

    private static func schemes(_ cookie: String) -> JSON {
        [
            "cookie": ["type": "apiKey", "in": "cookie", "name": .string(cookie)],
            "token": ["type": "http", "scheme": "bearer"],
        ]
    }

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
            if route.isHealthCheck, status == 503 { return .init("\(status)", answer(of: route)) }
            let codes = ErrorCode.statuses.filter { $0.status == status }.map(\.code.text).joined(separator: ", ")
            return .init("\(status)", ["description": .string(codes), "content": content])
        }
    }
}
