// Views are derived from the state, and only send events.

import BuiltInFlows
import GameFlow
import Synchronization
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
        sink.receive(.startFlowTapped)
    }
}

/// Retains a delegate until it is released.
private final class OrderHolder {
    var order: PermissionOrder?

    init(_ order: PermissionOrder?) { self.order = order }
}

/// A view that holds its sink, as views do.
private final class StartupView {
    let text: String
    let sink: any EventSink<Startup.Event>

    init(_ text: String, _ sink: any EventSink<Startup.Event>) {
        self.text = text
        self.sink = sink
    }
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
    @Test func `A navigator shows a state again when its values change, and not when time passes`() throws {
        let startup = try FlowUnderTest(Startup.self)
        var shown: [String] = []
        let navigator = Navigator<Startup, StartupView>(startup.machine) { state, sink in
            if case .ready(let user, let link) = state {
                shown.append("\(user) \(link ?? "-")")
            } else {
                shown.append(state.name)
            }
            return StartupView(shown.last ?? "", sink)
        }
        try startup.send(.didLaunch)
        startup.advance(.seconds(3))
        try startup.send(.hydrateSucceeded(hasSession: true, userID: "ann"), from: .orchestrator)
        navigator.shown?.sink.receive(.deepLink(path: "/x"))
        #expect(shown == ["launching", "hydrating", "ann -", "ann /x"])
        #expect(navigator.shown?.text == "ann /x" && navigator.complaint == nil)
    }

    @Test func `A navigator, its view and the view's sink form no retain cycle`() throws {
        weak var machine: Machine<Startup>?
        weak var navigator: Navigator<Startup, StartupView>?
        weak var view: StartupView?
        weak var sink: (any EventSink<Startup.Event>)?
        do {
            let startup = try FlowUnderTest(Startup.self)
            let made = Navigator<Startup, StartupView>(startup.machine) { StartupView($0.name, $1) }
            (machine, navigator, view, sink) = (startup.machine, made, made.shown, made.shown?.sink)
            made.shown?.sink.receive(.didLaunch)
            #expect(startup.state == "hydrating" && made.shown?.text == "hydrating" && view == nil)
            view = made.shown
            withExtendedLifetime(made) {}
        }
        #expect(machine == nil && navigator == nil && view == nil && sink == nil)
    }

    @Test func `A delegate is called with the name of its session`() throws {
        let delegate = RecordingDelegate()
        let permissions = try FlowUnderTest(named: "kiosk") { Permissions(clock: $0, delegate: delegate) }
        try permissions.send(.request(.onboarded), from: .orchestrator)
        permissions.runUntilIdle()
        #expect(delegate.asked.withLock { $0.isSuperset(of: ["may kiosk", "did kiosk"]) })
    }

    @Test func `A view can be tested with a recording sink`() {
        let sink = RecordingSink<Onboarding.Event>()
        WelcomeView(title: "Welcome", sink: sink).tapStart()
        #expect(sink.received(.startFlowTapped))
        #expect(sink.events == [.startFlowTapped])
    }

    @Test func `A navigator shows the view of each new state`() throws {
        let onboarding = try FlowUnderTest { Onboarding(clock: $0) }
        let navigator = Navigator<Onboarding, WelcomeView>(onboarding.machine) { state, navigator in
            WelcomeView(title: state.name, sink: navigator)
        }
        #expect(navigator.shown?.title == "accountLoader")
        try onboarding.send(.accountLoaderFinished(account: "Ann"), from: .orchestrator)
        #expect(navigator.shown?.title == "welcome")
        navigator.shown?.tapStart()
        #expect(onboarding.state == "deviceIdentification" && navigator.shown?.title == "deviceIdentification")
        navigator.shown?.tapStart()
        #expect(
            navigator.complaint == "'startFlowTapped' is not valid in 'deviceIdentification'; it accepts deviceWasIdentified")
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
