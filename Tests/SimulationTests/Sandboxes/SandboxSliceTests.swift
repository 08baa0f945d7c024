// Sandboxes of a daemon share the time of a turn, and their number.

import GameFlow
import Testing
import Timers
@testable import Commands
@testable import Simulation

private final class Turns: SandboxesDelegate {
    var areWanted = false

    func sandboxesWait() { areWanted = true }
}

@Suite struct `The shares of sandboxes` {
    private func ticking() throws -> FlowKind {
        try FlowKind.chart(
            text: """
                { id: "ticking", initial: "a", context: { n: 0 }, states: {
                  a: { after: { "1ms": { name: "tick", target: "a", actions: { assign: { n: "n + 1" } } } } } } }
                """)
    }

    @Test func `Sandboxes share one slice per turn, in which only one of them runs`() throws {
        let (kind, sandboxes) = (try ticking(), Sandboxes())
        let turns = Turns()
        defer { withExtendedLifetime(turns) {} }
        var arrived = 0
        sandboxes.delegate = turns
        let all = try (0..<Sandboxes.max).map { _ in
            let sandbox = try sandboxes.make(kind, of: [kind])
            sandboxes.endTurn()
            return sandbox
        }
        for sandbox in all {
            try sandbox.seek(to: 15_000)
            sandboxes.walk(sandbox) { error in
                #expect(error == nil)
                arrived += 1
            }
        }
        // All this was one turn: one of them has used up its slice, and no other has moved.
        #expect(all.count { $0.now > 0 } == 1)
        #expect(all.allSatisfy { $0.isUnderWay })
        for _ in 0..<100 { sandboxes.step() }
        #expect(all.count { $0.now > 0 } == 1)
        sandboxes.endTurn()
        for _ in 0..<100 { sandboxes.step() }
        #expect(all.count { $0.now > 0 } <= 2)
        while arrived < all.count, turns.areWanted {
            turns.areWanted = false
            sandboxes.endTurn()
            sandboxes.step()
        }
        #expect(all.allSatisfy { $0.now == 15_000 })
    }

    @Test func `The time of a sandbox whose session cannot be created counts in the slice of all`() throws {
        let slice = SandboxSlice()
        let kind = try ticking()
        #expect(errorCode { _ = try Sandbox(flow: kind, flows: [kind], state: "nowhere", within: slice) } != nil)
        #expect(slice.used > .zero)
    }

    @Test func `A token that makes many sandboxes does not displace another token's`() throws {
        let (kind, sandboxes) = (try ticking(), Sandboxes())
        let quiet = Consumer(holders: [.token("b")], usesReserve: false)
        let greedy = Consumer(holders: [.token("a")], usesReserve: false)
        let mine = try (0..<3).map { _ in try sandboxes.make(kind, of: [kind], for: quiet) }
        for _ in 0..<50 { _ = try sandboxes.make(kind, of: [kind], for: greedy) }
        #expect(sandboxes.count == Sandboxes.max)
        for sandbox in mine { #expect(errorCode { _ = try sandboxes.find(sandbox.id) } == nil) }
    }

    @Test func `A sandbox does not run once its client no longer waits for it, and accepts steps where it is`() throws {
        let (kind, sandboxes) = (try ticking(), Sandboxes())
        let sandbox = try sandboxes.make(kind, of: [kind])
        try sandbox.seek(to: 15_000)
        #expect(errorCode { try sandbox.pause() } == "BUSY")
        let before = sandbox.now
        var (isWanted, hasEnded) = (true, false)
        sandboxes.walk(sandbox, while: { isWanted }) { error in
            #expect(error == nil)
            hasEnded = true
        }
        isWanted = false
        while !hasEnded {
            sandboxes.endTurn()
            sandboxes.step()
        }
        #expect(sandbox.now == before)
        #expect(!sandbox.isUnderWay)
        try sandbox.pause()
        #expect(sandbox.stepTimes == [before])
    }

    @Test func `A sandbox that two clients wait for runs on when one of them leaves`() throws {
        let (kind, sandboxes) = (try ticking(), Sandboxes())
        let sandbox = try sandboxes.make(kind, of: [kind])
        try sandbox.seek(to: 15_000)
        var arrived = 0
        sandboxes.walk(sandbox, while: { false }) { _ in arrived += 1 }
        sandboxes.walk(sandbox) { _ in arrived += 1 }
        while arrived < 2 {
            sandboxes.endTurn()
            sandboxes.step()
        }
        #expect((sandbox.now, sandbox.isUnderWay) == (15_000, false))
    }
}
