// The flow `startup` with a real user and the real loop.

import BuiltInFlows
import Foundation
import GameFlow
import Testing
import Timers
@testable import EventLoop
@testable import GameDaemon

@Suite struct `An app's start on the loop` {
    /// Runs the loop until the machine, whose session has stored this text, is in the state.
    private func start(_ events: [Startup.Event], stored text: String? = nil, until state: String) throws -> Machine<Startup> {
        let loop = try Loop()
        let executor = try LoopExecutor(on: loop)
        let kind = TypedFlowKind<Startup> { startup in
            startup.work(with: StoredUser(), LocalAuthenticator())
            startup.after { session, _ in
                if session.stateName == state { loop.stop() }
            }
        }
        kind.executor = executor.tasks
        loop.timekeeper.beginTurn()
        let machine = try Machine(on: loop.timekeeper, kind: kind)
        try machine.store(text)
        for event in events {
            let isResult = if case .hydrateSucceeded = event { true } else { false }
            try machine.send(event, from: isResult ? .orchestrator : .ui)
        }
        try loop.run()
        return machine
    }

    @Test func `An app's start finds no user, logs in the system's user, and finds it the next time`() throws {
        _ = try start([.didLaunch], until: "needsLogin")
        let loggedIn = try start(
            [.didLaunch, .hydrateSucceeded(hasSession: false, userID: ""), .loginRequested], until: "ready")
        guard case .ready(let user, _) = loggedIn.state else { Issue.record("\(loggedIn.state)"); return }
        #expect(user == NSUserName() && loggedIn.storedText == user)
        let again = try start([.didLaunch], stored: loggedIn.storedText, until: "ready")
        guard case .ready(user, _) = again.state else { Issue.record("\(again.state)"); return }
    }
}
