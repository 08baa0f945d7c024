// The client library against a real daemon.

import Foundation
import GamedClient
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A client of the library` {
    private let daemon: RunningDaemon
    private let gamed: Gamed
    /// Replies of a stub of the daemon.
    private static let greeting = "%1\r\n+mode\r\n+standalone\r\n"
    private static let busy = "-BUSY the event with the id '7' still waits for a hook; try again in a moment\r\n"

    init() throws {
        daemon = try RunningDaemon(nil)
        _ = daemon.readLine()
        gamed = Gamed(unix: daemon.socketPath)
    }

    @Test func `A session's views follow its changes, and its refusals list the accepted events`() async throws {
        let room = try await gamed.create("room", flow: "game")
        var views = room.views.makeAsyncIterator()
        #expect(await views.next()?.state == "introduction")
        try await room.send("startPlaying")
        try await room.send("chooseEpisode", 3)
        var view = await views.next()
        while let next = view, next.state != "choosingLevel" { view = await views.next() }
        #expect(view?.data["episode"] == 3 && view?.actions.map(\.event) == ["chooseLevel", "returnHome"])
        let error = await #expect(throws: GamedError.self) { try await room.send("chooseEpisode", ["episode": 2]) }
        guard case .refused(let refused)? = error else { Issue.record("\(String(describing: error))"); return }
        #expect(refused.code.text == "NOTRANSITION" && refused.accepted == ["chooseLevel", "returnHome"])
        #expect(error?.description.hasPrefix("NOTRANSITION 'chooseEpisode' is not valid in 'choosingLevel'") == true)
    }

    @Test func `Each of 300 clients in one program gets its reply`() async throws {
        _ = try await gamed.create("shared", flow: "turns")
        let clients = (1...300).map { _ in Gamed(unix: daemon.socketPath) }
        try await withThrowingTaskGroup(of: String.self) { group in
            for client in clients { group.addTask { try await client.session("shared").view().state } }
            for try await state in group { #expect(state == "first") }
        }
        for client in clients { await client.close() }
    }

    @Test func `Two views of a session are equal until its timer is changed, however much time has passed`() async throws {
        let room = try await gamed.create("same", flow: "turns")
        let (first, second) = (try await room.view(), try await room.view())
        #expect(first == second && first.timers.count == 1)
        try await room.extend("turn", by: .seconds(1))
        #expect(try await room.view() != first)
        try await room.pause()
        let paused = try await room.view()
        #expect(try await room.view() == paused)
    }

    @Test func `A reader of events that is cancelled at once leaves, and its client can end`() async throws {
        weak var gone: Gamed?
        do {
            let client = Gamed(unix: daemon.socketPath)
            gone = client
            let room = try await client.create("room", flow: "turns")
            let reading = Task { for await _ in room.events {} }
            reading.cancel()
            await reading.value
        }
        while gone != nil { await Task.yield() }
    }

    @Test func `Events of a client that is an orchestrator come from one, if its role allows that`() async throws {
        let folder = try Folder()
        let flow = """
            { id: "door", events: { unlock: { from: ["orchestrator"] } }, initial: "shut",
              states: { shut: { on: { unlock: "open" } }, open: {} } }
            """
        try flow.write(toFile: folder.path + "/door.json5", atomically: true, encoding: .utf8)
        let node = try TcpDaemon(token: nil, ["--flows", folder.path + "/door.json5", "--session", "front=door"])
        let path = node.daemon.socketPath
        let refusal = await #expect(throws: GamedError.self) { try await Gamed(unix: path).session("front").send("unlock") }
        let sentence = "BADEVENT 'unlock' cannot come from network; it comes from orchestrator"
        #expect(refusal?.description.hasPrefix(sentence) == true)
        let guest = try Gamed(host: "localhost", port: UInt16(node.port), source: .orchestrator)
        let refused = await #expect(throws: GamedError.self) { try await guest.session("front").send("unlock") }
        #expect(refused?.description.contains("NOPERM User 'guest' has no permissions to") == true, "\(refused as Any)")
        let master = try await Gamed(unix: path, source: .orchestrator).session("front")
        try await master.send("unlock")
        #expect(try await master.view().state == "open")
    }

    @Test func `An action that people may not send has its sources`() async throws {
        let folder = try Folder()
        let flow = """
            { id: "door", events: { knock: {}, touch: { from: ["bluetooth", "network"] } }, initial: "shut",
              states: { shut: { on: { knock: "open", touch: "open" } }, open: {} } }
            """
        try flow.write(toFile: folder.path + "/door.json5", atomically: true, encoding: .utf8)
        let daemon = try RunningDaemon(["--socket", folder.socket, "--flows", folder.path + "/door.json5"])
        _ = daemon.readLine()
        let view = try await Gamed(unix: daemon.socketPath).create("front", flow: "door").view()
        #expect(view.actions.map(\.event) == ["knock", "touch"])
        #expect(view.actions.map(\.sources) == [nil, ["network", "bluetooth"]])
    }

    @Test func `A session that does not exist is an error, and a dropped session's views end`() async throws {
        let error = await #expect(throws: GamedError.self) { try await gamed.session("nobody") }
        guard case .refused(let refused)? = error else { Issue.record("\(String(describing: error))"); return }
        #expect(refused.code.text == "NOSESSION")
        let room = try await gamed.create("room", flow: "turns")
        let reading = Task {
            var count = 0
            for await _ in room.views { count += 1 }
            return count
        }
        try await eventuallyRead { try await room.view().version == 0 }
        try await room.drop()
        #expect(await reading.value <= 1)
    }

    @Test func `An event with a condition is refused once the session has changed`() async throws {
        let room = try await gamed.create("room", flow: "turns")
        let view = try await room.view()
        #expect(try await room.send("pass", if: .unchanged(since: view)).state == "second")
        let error = await #expect(throws: GamedError.self) { try await room.send("pass", if: .unchanged(since: view)) }
        #expect(error?.description.hasPrefix("STALE") == true)
    }

    @Test func `A postponed event is reported, listed, and can be withdrawn`() async throws {
        let app = try await gamed.create("app", flow: "startup")
        let sent = try await app.send("deepLink", "/news/7")
        #expect(sent.outcome == .postponed && sent.state == "launching")
        let waiting = try #require(try await app.view().postponed.first)
        #expect(waiting.event == "deepLink")
        try await app.withdraw(postponed: waiting.id)
        #expect(try await app.view().postponed.isEmpty)
    }

    @Test func `A client pauses, extends and reads timers, and computes remaining time without a request`() async throws {
        let room = try await gamed.create("room", flow: "turns")
        try await room.pause()
        try await room.extend("turn", by: .seconds(10))
        let still = try #require(try await room.view().timers.first)
        #expect(still.isPaused && still.remaining == still.remaining(at: .now + .seconds(5)))
        try await room.resume()
        let clock = try #require(try await room.view().timers.first)
        let now = ContinuousClock.now
        #expect(clock.remaining(at: now + .seconds(5)) <= clock.remaining(at: now) - .seconds(5) + .milliseconds(1))
        #expect(clock.remaining(at: now + .seconds(3_600)) == .zero)
    }

    @Test func `A cancelled request returns at once, and a later one is answered`() async throws {
        let room = try await gamed.create("room", flow: "turns")
        kill(daemon.processID, SIGSTOP)
        let request = Task { try await room.send("pass") }
        try await Task.sleep(for: .milliseconds(20))
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        kill(daemon.processID, SIGCONT)
        #expect(try await room.view().session == "room")
    }

    @Test func `A request without a daemon fails with an error that says so`() async throws {
        let nowhere = Gamed(unix: daemon.folder.path + "/nothing.sock", timeout: .milliseconds(200))
        // On a busy machine the request may end before the first connection has failed.
        let error = try await again(while: { $0.description.contains("did not reply within") }) {
            try await #require(throws: GamedError.self) { try await nowhere.flows() }
        }
        guard case .unavailable(let reason) = error else { Issue.record("\(String(describing: error))"); return }
        #expect(reason.contains("no daemon listens at"), "\(reason)")
    }

    @Test func `A client with the longest timeout gets its replies, and an impossible address fails at once`() async throws {
        #expect(try await Gamed(unix: daemon.socketPath, timeout: .seconds(Int64.max)).flows().contains("turns"))
        let long = Gamed(unix: "/" + String(repeating: "x", count: 200), timeout: .seconds(Int64.max))
        let error = await #expect(throws: GamedError.self) { try await long.flows() }
        guard case .unavailable? = error else { Issue.record("\(String(describing: error))"); return }
        for (host, port) in [("", 7654), ("localhost", 0)] as [(String, UInt16)] {
            let wrong = #expect(throws: GamedError.self) { try Gamed(host: host, port: port) }
            #expect(wrong?.description.contains("--connect") == false, "\(String(describing: wrong))")
        }
    }

    @Test func `A daemon that does not reply in time leaves the outcome unknown`() async throws {
        _ = try await gamed.create("room", flow: "turns")
        let client = Gamed(unix: daemon.socketPath, timeout: .seconds(2))
        // Only the request to the stopped daemon is to take longer.
        var session: GamedSession?
        while session == nil { session = try? await client.session("room") }
        let room = try #require(session)
        kill(daemon.processID, SIGSTOP)
        defer { kill(daemon.processID, SIGCONT) }
        let error = await #expect(throws: GamedError.self) { try await room.send("pass") }
        guard case .unknownOutcome? = error else { Issue.record("\(String(describing: error))"); return }
    }

    @Test
    func `An event that was sent to a daemon which then restarts, and is loading until the timeout, has an unknown outcome`()
        async throws
    {
        let path = daemon.folder.path + "/stub.sock"
        let stub = try StubDaemon(at: path, views: [:], replies: ["HELLO": Self.greeting, "SEND": ""])
        let client = Gamed(unix: path, timeout: .seconds(1))
        let room = try await client.create("room", flow: "turns")
        let event = Task { try await room.send("pass") }
        try await eventuallyRead { stub.count(of: "SEND") == 1 }
        stub.leave()
        let loading = "-LOADING 5 sessions are restored so far\r\n"
        let restarted = try StubDaemon(at: path, views: [:], replies: ["HELLO": Self.greeting, "SEND": loading])
        defer { restarted.leave() }
        let error = await #expect(throws: GamedError.self) { try await event.value }
        guard case .unknownOutcome? = error else { Issue.record("\(String(describing: error))"); return }
        await client.close()
    }

    @Test func `An event that was sent before its connection was lost is sent again while its id is BUSY`() async throws {
        let path = daemon.folder.path + "/stub.sock"
        let stub = try StubDaemon(at: path, views: [:], replies: ["HELLO": Self.greeting, "SEND": ""])
        let client = Gamed(unix: path)
        let room = try await client.create("room", flow: "turns")
        let event = Task { try await room.send("pass") }
        try await eventuallyRead { stub.count(of: "SEND") == 1 }
        stub.leave()
        let restarted = try StubDaemon(at: path, views: [:], replies: ["HELLO": Self.greeting, "SEND": Self.busy])
        defer { restarted.leave() }
        let decision = Task {
            while restarted.count(of: "SEND") < 2, !Task.isCancelled { await Task.yield() }
            restarted.reply("+second\r\n", to: "SEND")
        }
        defer { decision.cancel() }
        #expect(try await event.value.state == "second")
        await client.close()
    }

    @Test func `Events sent together before their connection was lost are sent again while an id is BUSY`() async throws {
        let path = daemon.folder.path + "/stub.sock"
        let words = ["HELLO": Self.greeting, "SEND": "+QUEUED\r\n"]
        let stub = try StubDaemon(at: path, views: [:], replies: words.merging(["EXEC": ""]) { $1 })
        let client = Gamed(unix: path)
        let room = try await client.create("room", flow: "turns")
        let events = Task { try await room.send(together: [.init("pass"), .init("pass")]) }
        try await eventuallyRead { stub.count(of: "EXEC") == 1 }
        stub.leave()
        let first = "*2\r\n+second\r\n" + Self.busy
        let restarted = try StubDaemon(at: path, views: [:], replies: words.merging(["EXEC": first]) { $1 })
        defer { restarted.leave() }
        let decision = Task {
            while restarted.count(of: "EXEC") < 2, !Task.isCancelled { await Task.yield() }
            restarted.reply("*2\r\n+second\r\n+first\r\n", to: "EXEC")
        }
        defer { decision.cancel() }
        #expect(try await events.value.map { try? $0.get().state } == ["second", "first"])
        await client.close()
    }

    @Test func `A client connects less and less often to a daemon that greets it and then breaks off`() async throws {
        let path = daemon.folder.path + "/stub.sock"
        let stub = try StubDaemon(at: path, views: [:], replies: ["HELLO": Self.greeting, "VIEW": "no protocol\r\n"])
        defer { stub.leave() }
        let client = Gamed(unix: path, timeout: .seconds(1))
        await #expect(throws: GamedError.self) { try await client.session("room").view() }
        let count = stub.count(of: "HELLO")
        #expect((2...12).contains(count), "\(count)")
        await client.close()
    }

    @Test func `An event that is BUSY at its first sending is refused, and is not sent again`() async throws {
        let path = daemon.folder.path + "/stub.sock"
        let stub = try StubDaemon(at: path, views: [:], replies: ["HELLO": Self.greeting, "SEND": Self.busy])
        defer { stub.leave() }
        let client = Gamed(unix: path)
        let room = try await client.create("room", flow: "turns")
        let error = await #expect(throws: GamedError.self) { try await room.send("pass") }
        guard case .refused(let refused)? = error else { Issue.record("\(String(describing: error))"); return }
        #expect(refused.code.text == "BUSY" && stub.count(of: "SEND") == 1)
        await client.close()
    }

    @Test func `Events sent together are not interleaved with other clients' events, and each has a result`() async throws {
        let room = try await gamed.create("room", flow: "game")
        let results = try await room.send(together: [
            .init("startPlaying"), try .init("chooseEpisode", 3), try .init("chooseEpisode", 2), try .init("chooseLevel", 1),
        ])
        #expect(results.map { try? $0.get().state } == ["choosingEpisode", "choosingLevel", nil, "playingLevel"])
        guard case .failure(.refused(let refused)) = results[2] else { Issue.record("\(results[2])"); return }
        #expect(refused.code.text == "NOTRANSITION")
        let turns = try await gamed.create("turns", flow: "turns")
        try await withThrowingTaskGroup(of: [String?].self) { group in
            for _ in 1...20 {
                group.addTask { try await turns.send(together: [.init("pass"), .init("pass")]).map { try? $0.get().state } }
            }
            for try await states in group { #expect(states == ["second", "first"]) }
        }
        #expect(try await turns.view().version == 40)
    }

    @Test func `More than 30 events sent together are an error, and so are events to a dropped session`() async throws {
        let room = try await gamed.create("room", flow: "turns")
        await #expect(throws: GamedError.self) {
            try await room.send(together: Array(repeating: .init("pass"), count: 31))
        }
        #expect(try await room.send(together: Array(repeating: .init("pass"), count: 30)).count == 30)
        #expect(try await room.send(together: []).isEmpty)
        try await room.drop()
        let results = try await room.send(together: [.init("pass")])
        guard case .failure(.refused(let refused))? = results.first else { Issue.record("\(results)"); return }
        #expect(refused.code.text == "NOSESSION")
    }

    @Test func `A hundred tasks share one connection`() async throws {
        let room = try await gamed.create("room", flow: "turns")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...100 { group.addTask { try await room.send("pass") } }
            try await group.waitForAll()
        }
        #expect(try await room.view().version == 100)
    }

    @Test func `A session created under a dropped session's name has its own views`() async throws {
        let first = try await gamed.create("room", flow: "turns")
        var views = first.views.makeAsyncIterator()
        #expect(await views.next()?.state == "first")
        try await first.drop()
        #expect(await views.next() == nil)
        let second = try await gamed.create("room", flow: "turns", startingIn: "second")
        var others = second.views.makeAsyncIterator()
        #expect(await others.next()?.state == "second")
    }

    @Test func `A session's views continue after the last reference to the client is released`() async throws {
        let path = daemon.socketPath
        let room = try await gamed.create("room", flow: "turns")
        let views = try await Gamed(unix: path).session("room").views
        var states: [String] = []
        for await view in views {
            states.append(view.state)
            if states.count == 1 { try await room.send("pass") }
            if states.last == "second" { break }
        }
        #expect(states == ["first", "second"])
    }

    @Test func `A refused subscription ends, and later requests get their own replies`() async throws {
        let folder = RunningDaemon.newFolder()
        let small = try RunningDaemon(
            [
                "--socket", folder.path + "/gamed.sock", "--http", "none", "--config", "none", "--limit", "subscriptions=1",
                "--session", "a=turns", "--session", "b=turns",
            ], in: folder)
        _ = small.readLine()
        let client = Gamed(unix: small.socketPath)
        let (a, b) = (try await client.session("a"), try await client.session("b"))
        var views = a.views.makeAsyncIterator()
        #expect(await views.next()?.session == "a")
        var refused = b.views.makeAsyncIterator()
        #expect(await refused.next() == nil)
        let names = [try await b.view().session, try await a.view().session]
        #expect(names == ["b", "a"])
        await client.close()
    }

    @Test func `An event cancelled while the client is disconnected is not sent later`() async throws {
        let room = try await gamed.create("room", flow: "turns")
        let path = daemon.folder.path + "/moved.sock"
        let client = Gamed(unix: path)
        let request = Task { try await client.session("room").send("pass") }
        try await Task.sleep(for: .milliseconds(20))
        request.cancel()
        await #expect(throws: CancellationError.self) { try await request.value }
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: daemon.socketPath)
        #expect(try await client.session("room").view().version == 0)
        #expect(try await room.view().version == 0)
    }

    private func eventuallyRead(_ isTrue: () async throws -> Bool) async throws {
        while try await !isTrue() { await Task.yield() }
    }
}
