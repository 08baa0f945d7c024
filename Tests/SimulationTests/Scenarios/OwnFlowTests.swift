// Scenarios of custom flows in Swift.

import GameFlow
import Testing
import Timers

@testable import Simulation

/// A door with a bell; the event `opened` carries a number of rings.
private struct Door: TypedFlow {
    enum State: FlowState { case shut, ringing(patience: Countdown), open(rings: Int) }
    enum Event { case ring, opened(rings: Int), nobodyCame }

    static let events = Catalogue<Event>(
        .plain(.ring), .integer(Event.opened, from: .orchestrators, samples: [1]), .timer(.nobodyCame))
    static let patience = TimerPlan.countdown("patience", .seconds(20), message: Event.nobodyCame)
    static let timers = [patience]
    let clock: FlowClock

    func initialState() -> State { .shut }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.shut, .ring): { .ringing(patience: try Countdown(Self.patience, on: clock)) }
        case (.ringing, .opened(let rings)): { .open(rings: rings) }
        case (.ringing, .nobodyCame): { .shut }
        default: throw .transitionNotFound
        }
    }

    func isFinal(_ state: State) -> Bool { if case .open = state { true } else { false } }
}

@Suite struct `A scenario of a program's own flow` {
    /// Flows whose `opened` event counts how often they were created. Without `isSomebodyIn`, the flow does no work.
    private func house(isSomebodyIn: Bool = true, withBuiltIn: Bool = false) -> RehearsedFlows {
        var made = 0
        let flows = { () -> [FlowKind] in
            made += 1
            let rings = made
            let door = FlowKind.flow(Door.self) { definition in
                guard isSomebodyIn else { return }
                definition.orchestrate { _, state in
                    guard case .ringing = state else { return nil }
                    return { .opened(rings: rings) }
                }
            }
            return [door]
        }
        return RehearsedFlows(flows, withBuiltIn: withBuiltIn)
    }

    private func play(_ text: String, _ flows: RehearsedFlows) throws -> String? {
        let report = try Scenario(parsing: text, path: "it.scenario").run(flows)
        return report.mismatch.map { "\($0.expected) / \($0.got)" }
    }

    @Test func `A scenario of a custom flow runs the flow's work in virtual time`() throws {
        #expect(try play("new d door\nsend d ring\nexpect d open rings=1", house()) == nil)
        let text = "new d door\nsend d ring\nadvance 19.999s\nexpect d ringing\nadvance 1ms\nexpect d shut"
        #expect(try play(text, house(isSomebodyIn: false)) == nil)
    }

    @Test func `A scenario fails if its flow's work never rests`() throws {
        let restless = FlowKind.flow(Door.self) { definition in
            definition.orchestrate { _, state in
                guard case .ringing = state else { return nil }
                return { while true { await Task.yield() } }
            }
        }
        let failure = try play("new d door\nsend d ring\nadvance 20s", RehearsedFlows({ [restless] }, withBuiltIn: false))
        #expect(failure?.hasPrefix("no error / ERR the flow's work never rests") == true, "\(failure ?? "")")
    }

    @Test func `A step fails if an event that waited for its hook since an earlier step is refused meanwhile`() throws {
        let door = FlowKind.flow(Door.self) { definition in
            definition.beforeAsync { _, _ in
                // It decides once it is cancelled.
                let (decision, decide) = AsyncStream.makeStream(of: Void.self)
                for await _ in decision {}
                decide.finish()
            }
        }
        let flows = RehearsedFlows({ [door] }, withBuiltIn: false)
        let failure = try play("new d door\nsend d ring\nforce d shut", flows)
        #expect(failure?.hasPrefix("no error / STALE ") == true, "\(failure ?? "")")
        #expect(try play("new d door\nsend d ring\nexpect-error STALE force d shut\nexpect d shut", flows) == nil)
    }

    @Test func `Each scenario has its own instances of the custom flows`() throws {
        let flows = house()
        for rings in 1...3 {
            #expect(try play("new d door\nsend d ring\nexpect d open rings=\(rings)", flows) == nil)
        }
    }

    @Test func `A scenario of a custom flow has the built-in flows only on request`() throws {
        #expect(try play("new r turns", house()) == "no error / NOFLOW there is no flow 'turns'; available: door")
        #expect(try play("new r turns\nnew d door", house(withBuiltIn: true)) == nil)
    }

    @Test func `A scenario is refused with flows that a daemon would not host`() throws {
        try house().check()
        let twice = RehearsedFlows({ [.flow(Door.self), .flow(Door.self)] }, withBuiltIn: false)
        #expect(throws: FlowProblems.self) { try twice.check() }
    }
}
