// The parts that a sandbox shares with the daemon, and those that it simulates.

import BuiltInFlows
import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Simulation
@testable import Sessions

@Suite struct `The world of a sandbox` {
    @Test func `A sandbox and real sessions of the same flow do not affect each other`() throws {
        let kind = try FlowKind.chart(text: counterFlow)
        let host = Host(on: Timekeeper(VirtualClock()), flows: [kind], commands: .all)
        _ = try host.begin("real", kind, ["context": ["n": 3]])
        let client = LocalClient(of: host)
        _ = client.run(["SEND", "real", "add", "1"])
        let before = viewText(of: try #require(host.sessions.find("real")))
        let sandbox = try Sandbox.unsliced(kind, of: [kind], context: ["n": 1_000])
        for step in 1...20 {
            try sandbox.send("add", payload: ["by": .integer(step)])
            try sandbox.run(to: step * 1_000 * 60)
            if step == 10 { _ = client.run(["SEND", "real", "say", #"{"text":"real"}"#]) }
        }
        let real = try #require(host.sessions.find("real"))
        #expect(real.machine.version == 2)
        #expect(try real.machine.shownData()["n"]?.integer == 7)
        #expect(before.contains(#""title":"7""#))
        #expect(host.timekeeper.armedCount == 1)
        #expect(host.sessions.count == 1)
        #expect(kind.number == host.sessions.flow(named: "counter")?.number)
        let copy = try Sandbox.unsliced(kind, of: [kind], context: ["n": 1_000])
        for step in 1...20 {
            try copy.send("add", payload: ["by": .integer(step)])
            try copy.run(to: step * 1_000 * 60)
        }
        #expect(copy.shownLines == sandbox.shownLines)
        #expect(copy.json["view"]?["data"] == sandbox.json["view"]?["data"])
    }

    @Test func `Stand-ins do the work of the flow startup in a sandbox`() throws {
        let flows = RehearsedFlows.builtIn.make(on: nil, StandIns())
        let sandbox = try Sandbox.unsliced(#require(flows.first { $0.name == "startup" }), of: flows)
        try sandbox.send("didLaunch")
        try sandbox.runToGoal()
        #expect(sandbox.state == "needsLogin")
        #expect(sandbox.shownLines.last == "0 orchestrator hydrateSucceeded needsLogin")
        try sandbox.send("loginRequested")
        try sandbox.runToGoal()
        #expect(sandbox.state == "ready")
        try sandbox.run(to: 1_000)
        try sandbox.run(to: 0)
        #expect(sandbox.state == "ready")
        guard case .array(let standIns)? = sandbox.json["standins"] else { return #expect(Bool(false)) }
        #expect(standIns.compactMap { $0["name"]?.text } == ["saved session", "log-in"])
    }

    @Test func `A sandbox's user sends the events of programs and of devices`() throws {
        let sources = ["network", "bluetooth", "orchestrator"]
        let events = sources.map { "\($0): { from: ['\($0)'] }" }.joined(separator: ", ")
        let transitions = sources.map { "\($0): { actions: { assign: { said: \"'\($0)'\" } } }" }.joined(separator: ", ")
        let kind = try FlowKind.chart(
            text:
                "{ id: 'heard', context: { said: '' }, events: { \(events) }, initial: 'a', states: { a: { on: { \(transitions) } } } }"
        )
        let sandbox = try Sandbox.unsliced(kind, of: [kind])
        for source in EventSource.ofSandboxes where source != .ui {
            #expect(errorCode { try sandbox.send(source.name) } == "BADEVENT")
            try sandbox.send(source.name, from: source)
            #expect(sandbox.json["view"]?["data"]?["said"]?.text == source.name)
        }
        try sandbox.run(to: 1_000)
        try sandbox.run(to: 0)
        #expect(sandbox.json["view"]?["data"]?["said"]?.text == "orchestrator", "walked again from the beginning")
    }

    @Test func `Stand-ins load an account and check a device in a sandbox of onboarding`() throws {
        let flows = RehearsedFlows.builtIn.make(on: nil, StandIns())
        let sandbox = try Sandbox.unsliced(#require(flows.first { $0.name == "onboarding" }), of: flows)
        try sandbox.runToGoal()
        #expect(sandbox.state == "welcome")
        try sandbox.send("startFlowTapped")
        try sandbox.send("deviceWasIdentified", payload: "AA:BB:CC:DD:EE:FF")
        try sandbox.runToGoal()
        #expect(sandbox.state == "deviceReady")
    }

    private static let parent = """
        { id: "parent", initial: "waiting", events: { again: {} }, states: {
          waiting: { invoke: { id: "kid", flow: "child", onDone: "happy", onError: "sad" }, on: { again: "alone" } },
          alone: { entry: { send: { session: "nobody", event: "hello" } }, on: { "error.communication": "sad" } },
          happy: {}, sad: {} } }
        """
    private static let child = """
        { id: "child", initial: "busy", events: { hurry: {} }, states: {
          busy: { after: { "3s": { name: "work", target: "over" } }, on: { hurry: "over" } }, over: { type: "final" } } }
        """

    @Test func `Child sessions run in their parent's sandbox, and can be sent events`() throws {
        let (parent, child) = (try FlowKind.chart(text: Self.parent), try FlowKind.chart(text: Self.child))
        let sandbox = try Sandbox.unsliced(parent, of: [child, parent])
        #expect(sandbox.json["children"] == ["sandbox/kid"])
        try sandbox.run(to: 3_000)
        #expect(sandbox.state == "happy")
        try sandbox.run(to: 1_000)
        try sandbox.send("hurry", to: "sandbox/kid")
        #expect(sandbox.state == "happy")
        try sandbox.run(to: 500)
        #expect(sandbox.state == "waiting")
        try sandbox.run(to: 1_000)
        #expect(sandbox.state == "happy")
    }

    @Test func `A missing flow or session is reported in a sandbox as in the daemon`() throws {
        let parent = try FlowKind.chart(text: Self.parent)
        let alone = try Sandbox.unsliced(parent, of: [parent])
        #expect(alone.state == "sad")
        let sandbox = try Sandbox.unsliced(parent, of: [parent, try FlowKind.chart(text: Self.child)])
        try sandbox.send("again")
        #expect(sandbox.state == "sad")
        #expect(sandbox.shownLines.contains("0 orchestrator error.communication sad"))
    }

    @Test func `A sandbox accepts an orchestrator's event that is sent by hand`() throws {
        let kind = try FlowKind.chart(
            text: """
                { id: "door", initial: "shut", events: { opened: { from: ["orchestrator"] } },
                  states: { shut: { on: { opened: "open" } }, open: {} } }
                """)
        let sandbox = try Sandbox.unsliced(kind, of: [kind])
        #expect(errorCode { try sandbox.send("opened") } == "BADEVENT")
        try sandbox.send("opened", from: .orchestrator)
        try sandbox.run(to: 10)
        try sandbox.run(to: 0)
        #expect((sandbox.state, sandbox.shownLines.last) == ("open", "0 orchestrator opened open"))
    }
}
