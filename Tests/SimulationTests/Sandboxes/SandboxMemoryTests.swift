import BuiltInFlows
import GameFlow
import Testing
import Timers

@testable import Commands
@testable import Simulation
@testable import Sessions

@Suite struct `The memory of a sandbox` {
    @Test(arguments: ["turns", "game", "registration"]) func `The memory of a sandbox is freed when the sandbox is dropped`(
        name: String
    ) throws {
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
}
