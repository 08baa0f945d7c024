// What is shown is derived from the state, and views only send events.

import GameFlow
import Testing
import Timers

/// A view with one button.
private final class WelcomeView {
    let title: String
    let sink: any EventSink<Onboarding.Event>

    init(title: String, sink: any EventSink<Onboarding.Event>) {
        self.title = title
        self.sink = sink
    }

    func tapStart() {
        sink.received(.startFlowTapped)
    }
}

@Suite struct `Views` {
    @Test func `a view can be tested alone`() {
        let sink = RecordingSink<Onboarding.Event>()
        WelcomeView(title: "Welcome", sink: sink).tapStart()
        #expect(sink.received(.startFlowTapped))
        #expect(sink.events == [.startFlowTapped])
    }

    @Test func `the navigator follows the state, whoever changes it`() throws {
        let onboarding = try FlowUnderTest { Onboarding(clock: $0) }
        let navigator = Navigator<Onboarding, WelcomeView>(onboarding.machine) { state, navigator in
            WelcomeView(title: state.name, sink: navigator)
        }
        #expect(navigator.shown?.title == "accountLoader")
        try onboarding.send(.accountLoaderFinished, from: .network)
        #expect(navigator.shown?.title == "welcome")
        navigator.shown?.tapStart()
        #expect(onboarding.state == "deviceIdentification" && navigator.shown?.title == "deviceIdentification")
        navigator.shown?.tapStart()
        #expect(
            navigator.complaint == "'startFlowTapped' is not valid in 'deviceIdentification'; it accepts deviceWasIdentified")
    }

    @Test func `the view model is computed from the state: screen, actions, clocks`() throws {
        let game = try FlowUnderTest { Game(clock: $0) }
        try game.send(.startPlaying)
        game.advance(.seconds(12))
        let model = game.machine.viewModel
        #expect(model.screen.title == "Choose an episode" && model.actions.map(\.label) == ["Choose episode"])
        #expect(model.actions.first?.payload == .integer("episode", hint: "1 to 4"))
        #expect(model.clocks.map(\.remaining) == [.seconds(18)] && model.clocks.first?.length == .seconds(30))
        #expect(!model.isFinal && !model.isPaused)
    }

    @Test func `a delegate that is gone allows nothing`() throws {
        var order: PermissionOrder? = PermissionOrder()
        let delegate = try #require(order)
        let permissions = try FlowUnderTest { Permissions(clock: $0, delegate: delegate) }
        try permissions.send(StateRequest(.pushNotificationsAsk))
        #expect(permissions.state == "pushNotificationsAsk")
        order = nil
        _ = consume delegate
        #expect(throws: Refusal.self) { try permissions.send(StateRequest(.locationAsk)) }
        #expect(order == nil)
    }
}
