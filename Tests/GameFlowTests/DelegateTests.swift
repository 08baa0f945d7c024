// Delegates that observe, answer, and take their time.

import BuiltInFlows
import GameFlow
import Synchronization
import Testing
import Timers

/// Remembers where sessions came, and waits at a gate where it must decide.
private final class Guide: AsyncTransitionDelegate {
    typealias Page = Permissions.Page
    typealias Event = Permissions.Event

    let gate = WorkGate()
    let visits = Mutex<[String]>([])
    /// What it sends from a page.
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

/// A system that decides once it is asked to.
private struct SlowSystem: PermissionSystem {
    let gate = WorkGate()

    func grants(_ permission: Permission, in session: String) async throws -> Bool { await gate.pass() == "yes" }
}

@Suite struct `A transition delegate` {
    private func permissions(_ guide: Guide) throws -> FlowUnderTest<Permissions> {
        let permissions = try FlowUnderTest { Permissions(clock: $0, delegate: guide) }
        permissions.machine.beginWork()
        permissions.runUntilIdle()
        return permissions
    }

    @Test func `A delegate that decides later holds the session until it has`() throws {
        let guide = Guide()
        let permissions = try permissions(guide)
        #expect(try permissions.send(.start) == .waiting)
        permissions.runUntilIdle()
        #expect(permissions.state == "initial" && guide.gate.count == 1)
        guide.gate.open("yes")
        permissions.runUntilIdle()
        #expect(permissions.state == "pushNotificationsAsk")
    }

    @Test func `A delegate that decides against a step leaves the session where it is`() throws {
        let guide = Guide()
        let permissions = try permissions(guide)
        try permissions.send(.start)
        permissions.runUntilIdle()
        guide.gate.open("no")
        permissions.runUntilIdle()
        #expect(permissions.state == "initial" && permissions.machine.version == 0)
    }

    @Test func `A delegate learns of every page, and its reply leads on`() throws {
        let guide = Guide(replies: [.pushNotificationsDisplay: .systemDenied])
        let permissions = try FlowUnderTest(
            { Permissions(clock: $0, delegate: guide) }, startingIn: "pushNotificationsAsk")
        permissions.runUntilIdle()
        try permissions.send(.allow)
        permissions.runUntilIdle()
        guide.gate.open()
        permissions.runUntilIdle()
        #expect(permissions.state == "locationAsk" && permissions.machine.state.values.pushNotifications == .denied)
        #expect(
            guide.visits.withLock { $0 } == [
                "- > pushNotificationsAsk", "pushNotificationsAsk > pushNotificationsDisplay",
                "pushNotificationsDisplay > locationAsk",
            ])
    }

    @Test func `A reply of a delegate that comes after its page was left is dropped`() throws {
        let guide = Guide(replies: [.pushNotificationsDisplay: .systemGranted])
        let permissions = try FlowUnderTest(
            { Permissions(clock: $0, delegate: guide) }, startingIn: "pushNotificationsAsk")
        permissions.runUntilIdle()
        try permissions.send(.allow)
        permissions.runUntilIdle()
        permissions.advance(.seconds(60))
        #expect(permissions.state == "locationAsk")
        guide.gate.open()
        permissions.runUntilIdle()
        #expect(permissions.state == "locationAsk" && permissions.machine.state.values.pushNotifications == .noAnswer)
    }

    @Test(arguments: [("yes", Permissions.Answer.granted), ("no", .denied)])
    func `The system decides about each allowed permission`(reply: String, answer: Permissions.Answer) throws {
        let system = SlowSystem()
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
