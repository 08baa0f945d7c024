// Views are derived from the state; delegates decide about its flow and are called with the session's name.

import BuiltInFlows
import GameFlow
import Synchronization
import Testing
import Timers

/// Retains a delegate until it is released.
private final class OrderHolder {
    var order: PermissionOrder?

    init(_ order: PermissionOrder?) { self.order = order }
}

/// Records the sessions that it is called for.
private final class RecordingDelegate: TransitionDelegate {
    let asked = Mutex<Set<String>>([])

    func shouldTransition(from: Permissions.Page, to: Permissions.Page, in session: String) -> Bool {
        asked.withLock { _ = $0.insert("may " + session) }
        return true
    }

    func didTransition(
        from: Permissions.Page?, to: Permissions.Page, in session: WorkingSession<Permissions.Event>
    ) async {
        asked.withLock { _ = $0.insert("did " + session.name) }
    }
}

@Suite struct `Views` {
    @Test func `A delegate is called with the name of its session`() throws {
        let delegate = RecordingDelegate()
        let permissions = try FlowUnderTest(named: "kiosk") { Permissions(clock: $0, delegate: delegate) }
        try permissions.send(.request(.onboarded), from: .orchestrator)
        permissions.runUntilIdle()
        #expect(delegate.asked.withLock { $0.isSuperset(of: ["may kiosk", "did kiosk"]) })
    }

    @Test func `A view model has the screen, actions and clocks of the state`() throws {
        let game = try FlowUnderTest { Game(clock: $0) }
        try game.send(.startPlaying)
        game.advance(.seconds(12))
        let model = game.machine.viewModel
        #expect(model.screen.title == "Choose an episode" && model.actions.map(\.label) == ["Choose episode", "Return home"])
        #expect(model.actions.first?.payload == .integer("episode", in: 1...4))
        #expect(model.clocks.map(\.remaining) == [.seconds(18)] && model.clocks.first?.length == .seconds(30))
        #expect(!model.isFinal && !model.isPaused)
    }

    @Test func `A released delegate allows no transition`() throws {
        var order: PermissionOrder? = PermissionOrder()
        let list = OrderHolder(order)
        let permissions = try FlowUnderTest { Permissions(clock: $0, delegate: list.order ?? PermissionOrder()) }
        try permissions.send(.start)
        // The state's work retains the delegate while it runs.
        permissions.runUntilIdle()
        #expect(permissions.state == "pushNotificationsAsk")
        (order, list.order) = (nil, nil)
        let refusal = #expect(throws: Refusal.self) { try permissions.send(.deny) }
        #expect(refusal?.kind == .transitionNotFound)
        #expect(order == nil)
    }
}
