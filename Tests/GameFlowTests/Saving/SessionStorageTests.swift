// Text that a session's hooks and work store beside its state.

import BuiltInFlows
import GameFlow
import Testing
import Timers

@Suite struct `The storage of a session` {
    private let disk = WorkGate()

    /// A startup whose work stores the gate's answer, and reports the result as a failed log-in.
    private func startup() throws -> FlowUnderTest<Startup> {
        let startup = try FlowUnderTest({ Startup(clock: $0) }, startingIn: "authenticating") { [disk] setup in
            setup.orchestrate { session, state in
                guard case .authenticating = state else { return nil }
                return {
                    let text = await disk.pass()
                    do {
                        try await session.storage.store(text)
                        return .loginFailed(message: "stored \(await session.storage.text?.count ?? 0)")
                    } catch {
                        return .loginFailed(message: "\(error)")
                    }
                }
            }
        }
        startup.runUntilIdle()
        return startup
    }

    @Test(arguments: [0, 1, SessionStorage.maxBytes])
    func `Work stores a text of 16 KiB at most, which is saved and restored with the session`(bytes: Int) throws {
        let startup = try startup()
        let text = String(repeating: "x", count: bytes)
        disk.open(text)
        startup.runUntilIdle()
        guard case .error("stored \(bytes)") = startup.machine.state else { Issue.record("\(startup.machine.state)"); return }
        let image = try SessionImage(of: startup.machine)
        let restored = try startup.kind.begin(on: startup.timekeeper, at: image)
        #expect(restored.savedText == text)
        #expect(try restored.stateData() == startup.machine.stateData(), "clients do not see it")
    }

    @Test func `A text that is too long is refused, and the earlier one is kept`() throws {
        let startup = try startup()
        try startup.machine.store("ann")
        disk.open(String(repeating: "é", count: SessionStorage.maxBytes / 2 + 1))
        startup.runUntilIdle()
        guard case .error(let message) = startup.machine.state else { Issue.record("\(startup.machine.state)"); return }
        #expect(message == "a session stores 16384 bytes at most, and these are 16386")
        #expect(startup.machine.storedText == "ann")
    }

    @Test func `A text that a vetoing hook stores is saved with the session's timers, and not with those of its step`() throws {
        let house = try FlowUnderTest({ House(clock: $0) }) { setup in
            setup.before { session, event, _ in
                guard case .cook = event else { return }
                try session.store("tried to cook")
                throw House.Broken()
            }
        }
        let images = ImageRecorder()
        house.kind.watch(images)
        #expect(throws: Refusal.self) { try house.send(.cook) }
        let last = try #require(images.last)
        house.kind.watch(nil)
        let restored = try house.kind.begin(on: house.timekeeper, at: last)
        #expect(restored.savedText == "tried to cook" && last.timers.isEmpty)
    }

    @Test func `Work stores nothing after its state was left`() throws {
        let startup = try startup()
        startup.advance(.seconds(30))
        #expect(startup.state == "error")
        disk.open("mallory")
        startup.runUntilIdle()
        #expect(startup.machine.storedText == nil && startup.state == "error")
    }

    @Test func `A session remembers its user until the user logs out`() throws {
        let startup = try FlowUnderTest({ Startup(clock: $0) }) { $0.work(with: StoredUser(), AnnAuthenticator()) }
        for event in [Startup.Event.didLaunch, .loginRequested] {
            try startup.send(event)
            startup.runUntilIdle()
        }
        #expect(startup.state == "ready" && startup.machine.storedText == "ann")
        let next = try FlowUnderTest({ Startup(clock: $0) }) { $0.work(with: StoredUser(), AnnAuthenticator()) }
        try next.machine.store("ann")
        try next.send(.didLaunch)
        next.runUntilIdle()
        guard case .ready("ann", nil) = next.machine.state else { Issue.record("\(next.machine.state)"); return }
        // In the same step; otherwise the next user could log in before the state's work starts.
        try next.send(.logOut)
        #expect(next.machine.storedText == nil)
    }
}

/// Makes the image that is to be saved.
private final class ImageRecorder: MachineWatcher {
    private(set) var last: SessionImage?

    override func recordImage(of machine: AnyMachine) { last = try? SessionImage(of: machine) }
}

private struct AnnAuthenticator: Authenticator {
    func logIn(for session: String) async -> String { "ann" }
}
