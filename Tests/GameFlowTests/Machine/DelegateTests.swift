// Delegates that observe, reply, and decide later.

import BuiltInFlows
import GameFlow
import Synchronization
import Testing
import Timers

/// Records transitions, and waits at a gate before it decides.
private final class GatedDelegate: AsyncTransitionDelegate {
    typealias Page = Permissions.Page
    typealias Event = Permissions.Event

    let gate = WorkGate()
    let visits = Mutex<[String]>([])
    /// The event that it sends from each page.
    private let replies: [Page: Event]

    init(replies: [Page: Event] = [:]) {
        self.replies = replies
    }

    func shouldTransition(from: Page, to: Page, in session: String) async -> Bool {
        to != .pushNotificationsAsk ? true : await gate.pass() == "yes"
    }

    func didTransition(from: Page?, to: Page, in session: WorkingSession<Event>) async {
        visits.withLock { $0.append("\(from?.rawValue ?? "-") > \(to.rawValue)") }
        if to == .pushNotificationsDisplay { _ = await gate.pass() }
        if let reply = replies[to] { await session.send(reply) }
    }
}

/// A permission system that decides when its gate opens.
private struct GatedPermissionSystem: PermissionSystem {
    let gate = WorkGate()

    func grants(_ permission: Permission, in session: String) async throws -> Bool { await gate.pass() == "yes" }
}

@Suite struct `A transition delegate` {
    private func permissions(_ delegate: GatedDelegate) throws -> FlowUnderTest<Permissions> {
        let permissions = try FlowUnderTest { Permissions(clock: $0, delegate: delegate) }
        permissions.machine.beginWork()
        permissions.runUntilIdle()
        return permissions
    }

    @Test func `A delegate that decides later holds the step until it decides`() throws {
        let delegate = GatedDelegate()
        let permissions = try permissions(delegate)
        #expect(try permissions.send(.start) == .waiting)
        permissions.runUntilIdle()
        #expect(permissions.state == "initial" && delegate.gate.count == 1)
        delegate.gate.open("yes")
        permissions.runUntilIdle()
        #expect(permissions.state == "pushNotificationsAsk")
    }

    @Test func `A delegate that denies a step leaves the session's state and version unchanged`() throws {
        let delegate = GatedDelegate()
        let permissions = try permissions(delegate)
        try permissions.send(.start)
        permissions.runUntilIdle()
        delegate.gate.open("no")
        permissions.runUntilIdle()
        #expect(permissions.state == "initial" && permissions.machine.version == 0)
    }

    @Test func `A delegate is notified of every page, and its reply is sent as an event`() throws {
        let delegate = GatedDelegate(replies: [.pushNotificationsDisplay: .systemDenied])
        let permissions = try FlowUnderTest(
            { Permissions(clock: $0, delegate: delegate) }, startingIn: "pushNotificationsAsk")
        permissions.runUntilIdle()
        try permissions.send(.allow)
        permissions.runUntilIdle()
        delegate.gate.open()
        permissions.runUntilIdle()
        #expect(permissions.state == "locationAsk" && permissions.machine.state.values.pushNotifications == .denied)
        #expect(
            delegate.visits.withLock { $0 } == [
                "- > pushNotificationsAsk", "pushNotificationsAsk > pushNotificationsDisplay",
                "pushNotificationsDisplay > locationAsk",
            ])
    }

    @Test func `A delegate's reply is dropped if its page was left before the reply arrives`() throws {
        let delegate = GatedDelegate(replies: [.pushNotificationsDisplay: .systemGranted])
        let permissions = try FlowUnderTest(
            { Permissions(clock: $0, delegate: delegate) }, startingIn: "pushNotificationsAsk")
        permissions.runUntilIdle()
        try permissions.send(.allow)
        permissions.runUntilIdle()
        permissions.advance(.seconds(60))
        #expect(permissions.state == "locationAsk")
        delegate.gate.open()
        permissions.runUntilIdle()
        #expect(permissions.state == "locationAsk" && permissions.machine.state.values.pushNotifications == .noAnswer)
    }

    @Test(arguments: [("yes", Permissions.Answer.granted), ("no", .denied)])
    func `The permission system grants or denies each permission that the user allows`(
        reply: String, answer: Permissions.Answer
    ) throws {
        let system = GatedPermissionSystem()
        let order = PermissionOrder(asking: system)
        let permissions = try FlowUnderTest { Permissions(clock: $0, delegate: order) }
        try permissions.send(.start)
        try permissions.send(.allow)
        permissions.runUntilIdle()
        #expect(permissions.state == "pushNotificationsDisplay")
        system.gate.open(reply)
        permissions.runUntilIdle()
        try permissions.send(.notNow)
        #expect(permissions.state == "onboarded")
        let values = permissions.machine.state.values
        #expect(values.pushNotifications == answer && values.location == .notNow)
    }

    @Test func `Only an orchestrator can request a page`() throws {
        let permissions = try FlowUnderTest(Permissions.self)
        let refusal = #expect(throws: Refusal.self) { try permissions.send(.request(.pushNotificationsAsk), from: .network) }
        #expect(refusal?.kind == .notAllowed)
        try permissions.send(.request(.pushNotificationsAsk), from: .orchestrator)
        #expect(permissions.state == "pushNotificationsAsk")
    }
}
