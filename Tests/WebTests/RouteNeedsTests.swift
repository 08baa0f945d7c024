// The rights that each API operation needs. The table is written out here, so that every addition is checked.

import HTTP
import Testing
@testable import Commands
@testable import Web

@Suite struct `Every operation of the API` {
    private static func text(_ route: Route) -> String { "\(route.method.rawValue) \(route.path)" }

    private func routes(_ right: Right) -> [String] {
        Route.all.filter { $0.needs.right == right && $0.access == .visitors }.map(Self.text).sorted()
    }

    @Test func `Every API operation that is open to everyone is on the expected list`() {
        let open = Route.all.filter { $0.access == .open }
        #expect(
            open.map(Self.text).sorted() == [
                "GET /api/openapi.json", "GET /favicon.ico", "GET /healthz", "GET /login", "GET /page/{file}", "GET /readyz",
                "POST /login", "POST /logout",
            ])
        #expect(open.allSatisfy { $0.needs == .nothing })
        #expect(
            routes(.nothing) == ["GET /", "GET /f/{flow}", "GET /k/{name}", "GET /m/{name}", "GET /s/{name}"], "the page itself"
        )
    }

    @Test func `API operations that read need read, those that play need play, and others need master`() {
        #expect(routes(.read).allSatisfy { $0.hasPrefix("GET /api/") || $0 == "GET /metrics" })
        #expect(
            Route.all.filter { $0.method == .get && $0.access == .visitors && $0.path.hasPrefix("/api/") }.allSatisfy {
                $0.needs.right == ($0.path.hasPrefix("/api/sandboxes") ? .play : .read)
            })
        let plays = routes(.play).filter { !$0.contains("/api/sandboxes") }
        #expect(
            plays == [
                "POST /api/devices/{device}/advertise", "POST /api/devices/{device}/connect",
                "POST /api/devices/{device}/disconnect", "POST /api/devices/{device}/notify",
                "POST /api/sessions/{name}/events", "POST /api/sessions/{name}/withdraw",
            ])
        #expect(
            routes(.master) == [
                "DELETE /api/sessions/{name}", "POST /api/clock/advance", "POST /api/sessions",
                "POST /api/sessions/{name}/extend", "POST /api/sessions/{name}/force", "POST /api/sessions/{name}/pause",
                "POST /api/sessions/{name}/restart", "POST /api/sessions/{name}/resume", "POST /api/sessions/{name}/retry",
                "POST /api/sessions/{name}/undo",
            ])
        #expect(routes(.administer) == ["POST /api/backup", "POST /api/config", "POST /api/reload"])
        #expect(routes(.orchestrate) == [])
    }

    private func routes(with limit: BodyLimit) -> [String] {
        Route.all.filter { $0.bodyLimit == limit }.map(Self.text).sorted()
    }

    @Test func `The body of an API operation is limited to what the operation needs`() {
        #expect(routes(with: .token) == ["POST /login", "POST /logout"])
        #expect(Route.all.allSatisfy { $0.access == .visitors || $0.body == nil || $0.bodyLimit == .token })
        #expect(
            routes(with: .payload) == [
                "POST /api/sessions", "POST /api/sessions/{name}/events", "POST /api/sessions/{name}/force",
                "POST /api/sessions/{name}/restart",
            ])
        #expect(routes(with: .sandbox).allSatisfy { $0.hasPrefix("POST /api/sandboxes") })
        var limits = Limits()
        #expect(BodyLimit.token.bytes(limits) == 4_096)
        #expect(BodyLimit.words.bytes(limits) == 65_536)
        #expect(BodyLimit.payload.bytes(limits) == 1_114_112)
        #expect(BodyLimit.sandbox.bytes(limits) == 196_608)
        limits.payloadBytes = 100
        #expect(BodyLimit.payload.bytes(limits) == 65_636)
    }

    @Test func `API operations on a session are limited to the client's sessions`() {
        for route in Route.all where route.path.hasPrefix("/api/sessions/") {
            #expect(route.needs.reach == .session && route.path.contains("{name}"), "\(route.path)")
        }
        for route in Route.all where route.path.hasPrefix("/api/devices") || route.path.hasPrefix("/api/clock/") {
            #expect(route.needs.reach == .everything, "\(route.path)")
        }
    }
}
