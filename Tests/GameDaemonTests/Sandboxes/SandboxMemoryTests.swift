import BuiltInFlows
import GameFlow
import Posix
import Testing
import Timers

@testable import Commands
@testable import Rehearsal
@testable import Sessions

@Suite struct `The memory of a sandbox` {
    @Test(arguments: ["turns", "game", "registration"]) func `is free once it is dropped`(name: String) throws {
        let flows = RehearsedFlows.builtIn.makeIdle()
        let flow = try #require(flows.first { $0.name == name })
        weak var sessions: Sessions?
        weak var host: Host?
        weak var keeper: Timekeeper?
        weak var kind: FlowKind?
        weak var machine: AnyMachine?
        do {
            let sandbox = try Sandbox(flow: flow, flows: flows)
            try sandbox.seek(to: 1_000)
            try sandbox.seek(to: 0)
            (sessions, host) = (sandbox.world.host.sessions, sandbox.world.host)
            (keeper, kind) = (sandbox.world.host.timekeeper, sandbox.world.host.sessions.flows[0])
            machine = sandbox.world.host.sessions.all[0].machine
            _ = sandbox.json
        }
        #expect(host == nil)
        #expect(sessions == nil)
        #expect(keeper == nil)
        #expect(kind == nil)
        #expect(machine == nil)
    }

    @Test func `is not more after a hundred of them`() throws {
        let flows = RehearsedFlows.builtIn.makeIdle()
        try walk(flows)
        let before = Heap.used
        for _ in 0..<100 { try walk(flows) }
        #expect(Heap.used - before < 1 << 20)
    }

    private func walk(_ flows: [FlowKind]) throws {
        let sandbox = try Sandbox(flow: flows[0], flows: flows)
        try sandbox.seek(to: 1_000)
        try sandbox.seek(to: 0)
    }
}
