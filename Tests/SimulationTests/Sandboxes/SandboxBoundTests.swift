// The limits of sandboxes in a daemon.

import BuiltInFlows
import GameFlow
import TestSupport
import Testing
import Timers
@testable import Simulation

@Suite struct `Limits of sandboxes` {
    private static var turns: FlowKind { .flow(Turns.self) }

    private func ticking(_ length: String = "1ms") throws -> FlowKind {
        try FlowKind.chart(
            text: """
                { id: "ticking", initial: "a", context: { n: 0 }, states: {
                  a: { after: { "\(length)": { name: "tick", target: "a", actions: { assign: { n: "n + 1" } } } } } } }
                """)
    }

    @Test func `A seek in a sandbox runs in slices, and stops when too many timers have fired`() throws {
        let kind = try ticking()
        let sandbox = try Sandbox(flow: kind, flows: [kind])
        var (slices, longest) = (0, Duration.zero)
        try sandbox.seek(to: 30 * 86_400_000)
        #expect(sandbox.isUnderWay)
        #expect(errorCode { try sandbox.pause() } == "BUSY")
        #expect(errorCode { try sandbox.seekToNext() } == "BUSY")
        let refusal = errorCode {
            var goesOn = true
            while goesOn {
                longest = max(longest, try processorTime { goesOn = try sandbox.step() })
                slices += 1
            }
        }
        #expect(refusal == "LIMIT")
        #expect(slices > 1)
        #expect(longest < .milliseconds(200), "a slice took \(longest)")
        #expect((sandbox.now, sandbox.isUnderWay) == (20_000, false))
        try sandbox.pause()
        try sandbox.run(to: 86_400_000)
        try sandbox.run(to: 10_000)
        #expect(sandbox.json["view"]?["data"]?["n"]?.integer == 10_000)
    }

    @Test func `Another seek in a sandbox replaces the one in progress`() throws {
        let kind = try ticking()
        let sandbox = try Sandbox.unsliced(kind, of: [kind])
        try sandbox.seek(to: 19_000)
        try sandbox.run(to: 7)
        #expect((sandbox.now, sandbox.json["view"]?["data"]?["n"]?.integer) == (7, 7))
    }

    @Test func `A sandbox's time is limited to 30 days, and cannot be negative`() throws {
        let sandbox = try Sandbox.unsliced(Self.turns, of: [])
        #expect(errorCode { try sandbox.seek(to: -1) } == "LIMIT")
        #expect(errorCode { try sandbox.seek(to: .max) } == "LIMIT")
        #expect(errorCode { try sandbox.seek(to: 30 * 86_400_000 + 1) } == "LIMIT")
        let slow = try ticking("31d")
        let late = try Sandbox.unsliced(slow, of: [slow])
        #expect(errorCode { try late.seekToNext() } == "LIMIT")
        try late.run(to: 30 * 86_400_000)
        #expect(late.state == "a")
    }

    @Test func `A sandbox has at most 500 steps, and keeps 200 lines`() throws {
        let sandbox = try Sandbox.unsliced(Self.turns, of: [])
        for _ in 0..<500 { try sandbox.send("pass") }
        #expect(errorCode { try sandbox.send("pass") } == "LIMIT")
        #expect(sandbox.shownLines.count == 200)
        #expect(sandbox.stepTimes.count == 500)
        try sandbox.restart()
        try sandbox.send("pass")
    }

    @Test func `A sandbox keeps at most 500 steps, also if refused ones come before those that were kept for later`() throws {
        let sandbox = try Sandbox.unsliced(Self.turns, of: [])
        for instant in [200, 100] {
            try sandbox.run(to: instant)
            for _ in 0..<300 { #expect(errorCode { try sandbox.send("nope") } == "BADEVENT") }
        }
        #expect(sandbox.stepTimes.count == 500)
        try sandbox.send("pass")
        #expect(sandbox.state == "second" && sandbox.stepTimes == [Int](repeating: 100, count: 201), "the others came later")
    }

    @Test func `A sandbox is removed as the least recently used of 17, or after 30 minutes without use`() throws {
        let clock = VirtualClock()
        let sandboxes = Sandboxes(on: clock)
        let ids = try (0..<16).map { _ in try sandboxes.make(Self.turns, of: []).id }
        #expect(Set(ids).count == 16)
        _ = try sandboxes.find(ids[0])
        let last = try sandboxes.make(Self.turns, of: []).id
        #expect(sandboxes.count == 16)
        #expect(errorCode { _ = try sandboxes.find(ids[1]) } == "NOSESSION")
        clock.move(to: clock.now.advanced(by: .seconds(29 * 60)))
        _ = try sandboxes.find(ids[0])
        clock.move(to: clock.now.advanced(by: .seconds(60)))
        sandboxes.sweep()
        #expect(sandboxes.count == 1)
        #expect(errorCode { _ = try sandboxes.find(last) } == "NOSESSION")
        #expect(sandboxes.drop(ids[0]))
        #expect(!sandboxes.drop(ids[0]))
    }
}
