// Reports about children that their parent no longer has, with flows from files.

import GameFlow
import RESP
import TestSupport
import Testing
@testable import Commands
@testable import Sessions

@Suite struct `A child that its parent has cancelled` {
    private static let parent = """
        { id: "parent", initial: "run", events: {}, states: {
            run: { invoke: [{ id: "c1", flow: "kid", onError: "run" }, { id: "c2", flow: "kid", onError: "dead" }] },
            dead: {} } }
        """

    private static func kid(_ state: String) -> String { #"{ id: "kid", initial: "\#(state)", states: { \#(state): {} } }"# }

    /// Replaces the child's flow, as RELOAD does.
    private func reload(_ text: String, _ host: HostUnderTest) throws {
        let kind = try FlowKind.chart(text: text)
        let change = FlowChange(of: host.host.sessions, hosting: [kind], without: [], isDry: false, delegate: nil)
        while !change.isOver { change.step(atMost: 100) }
        host.host.sessions.effects.run()
    }

    @Test func `A child that is set aside with its sibling causes no event once the parent has replaced both`() throws {
        let host = try HostUnderTest(Self.parent, Self.kid("young"))
        host.run("NEW room parent")
        try reload(Self.kid("small"), host)
        #expect(host.state("room") == "run")
        #expect(host.history("room") == ["taken error.invoke.c1 room/c1", "begun NEW ann"])
        #expect(host.state("room/c1") == "small" && host.state("room/c2") == "small")
        #expect(host.host.sessions.setAsideSessions.isEmpty)
    }
}
