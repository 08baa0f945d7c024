// The flow `startup` with a real file, a real user and the real loop.

import BuiltInFlows
import Foundation
import GameFlow
import Testing
import Timers
@testable import EventLoop
@testable import GameDaemon

@Suite struct `An app's start on the loop` {
    private let path = FileManager.default.temporaryDirectory.appending(path: "session-\(UUID().uuidString).json").path

    /// Runs the loop until the machine is in the state.
    private func start(_ events: [Startup.Event], until state: String) throws -> Machine<Startup> {
        let loop = try Loop()
        let executor = try LoopExecutor(on: loop)
        let file = SessionFile(path: path)
        let kind = TypedFlowKind<Startup> { startup in
            startup.work(with: file, LocalAuthenticator(rememberingIn: file))
            startup.after { session, _ in
                if session.stateName == state { loop.stop() }
            }
        }
        kind.executor = executor.tasks
        loop.timekeeper.beginTurn()
        let machine = try Machine(on: loop.timekeeper, kind: kind)
        for event in events {
            let isResult = if case .hydrateSucceeded = event { true } else { false }
            try machine.send(event, from: isResult ? .orchestrator : .ui)
        }
        try loop.run()
        return machine
    }

    @Test func `finds no session, lets the system's user in, and finds that one the next time`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try start([.didLaunch], until: "needsLogin")
        let loggedIn = try start(
            [.didLaunch, .hydrateSucceeded(hasSession: false, userID: ""), .loginRequested], until: "ready")
        guard case .ready(let user, _) = loggedIn.state else { Issue.record("\(loggedIn.state)"); return }
        #expect(user == NSUserName())
        let again = try start([.didLaunch], until: "ready")
        guard case .ready(user, _) = again.state else { Issue.record("\(again.state)"); return }
    }

    @Test func `A saved session is removed for its own user alone, and one that cannot be read stays`() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = SessionFile(path: path)
        try await file.save("ann")
        await file.forget("ben", for: "app")
        #expect(try await file.load(for: "app") == "ann")
        await file.forget("ann", for: "app")
        #expect(try await file.load(for: "app") == nil)
        await file.forget("ann", for: "app")
        try "{ broken".write(toFile: path, atomically: true, encoding: .utf8)
        await file.forget("ann", for: "app")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "{ broken")
    }

    @Test func `a session that cannot be read is none`() throws {
        try "{ broken".write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let machine = try start([.didLaunch], until: "needsLogin")
        #expect(machine.stateName == "needsLogin")
    }
}
