// The number from which the client library resumes a session's events.

import TestSupport
import Testing
@testable import GamedClient

@Suite struct `A client's channel of events` {
    private let channel = EventChannel("room", since: nil)

    /// Shows an event in a message of the daemon's, and returns the number from which the channel resumes.
    private func show(_ message: String) -> String? {
        let isOpen: Bool = channel.show(message)
        #expect(isOpen)
        return channel.position
    }

    @Test func `A channel resumes from the highest number of its session's life, also after repeated entries`() {
        #expect(show(#"{"what":"begun","seq":1,"life":3}"#) == "3:1")
        #expect(show(#"{"what":"refused","seq":2,"life":3,"times":3,"last_seq":6}"#) == "3:6")
        #expect(show(#"{"what":"refused","seq":3,"life":3,"times":2,"last_seq":5}"#) == "3:6")
        #expect(channel.subscription == ["SUBSCRIBE", "session:room", "SINCE", "3:6"])
        #expect(show(#"{"what":"taken","seq":7,"life":3}"#) == "3:7")
    }

    @Test func `A channel is left by its last reader, also if a value has found before that the reader is gone`() {
        let (stream, reader) = AsyncStream.makeStream(of: SessionEvent.self)
        channel.readers.add(reader, numbered: 1)
        withExtendedLifetime(stream) { reader.finish() }
        #expect(show(#"{"what":"begun","seq":1,"life":3}"#) == "3:1")
        let isLast = channel.removeLast(1)
        #expect(isLast)
    }

    @Test func `The events of a session at another node have a position to resume from before the first event, too`() async {
        let relayed = EventChannel("room", since: nil, isRelayed: true)
        let (values, source) = AsyncStream.makeStream(of: SessionEvent.self)
        let (stream, reader) = AsyncStream.makeStream(of: SessionEvent.self)
        relayed.readers.add(source, numbered: 1)
        channel.readers.add(reader, numbered: 1)
        relayed.begin(.entry(3, 7))
        relayed.finish()
        for await value in values { channel.show(value) }
        channel.finish()
        #expect(channel.subscription == ["SUBSCRIBE", "session:room", "SINCE", "3:7"])
        #expect(await stream.first { _ in true } == nil)
    }

    @Test func `The search for the session of a channel that has ended leaves the next channel of its name as it is`() async {
        let gamed = Gamed(unix: "/nowhere/gamed.sock", timeout: .milliseconds(1))
        #expect(await gamed.keepsRelay(afterSearchFor: "room"))
        await gamed.close()
    }

    @Test func `A subscription that is refused while the daemon loads is made again once, also over a new connection`()
        async throws
    {
        let folder = try Folder()
        let stub = try StubDaemon(at: folder.socket, views: [:], replies: ["HELLO": "%1\r\n+server\r\n+gamed\r\n"])
        defer { stub.leave() }
        let gamed = Gamed(unix: folder.socket)
        try await gamed.connectAfterRefusal(of: "room")
        #expect(stub.count(of: "SUBSCRIBE", "session:room") == 1)
        await gamed.close()
    }

    private static let replies = [
        "HELLO": "%1\r\n+server\r\n+gamed\r\n", "STATE": "%1\r\n+life\r\n:3\r\n",
        "HISTORY": "*2\r\n%2\r\n+seq\r\n:5\r\n+last_seq\r\n:7\r\n%1\r\n+seq\r\n:6\r\n",
    ]

    @Test
    func `Events are subscribed to from the session's newest entry, also if the connection is lost before the first event`()
        async throws
    {
        let folder = try Folder()
        let gamed = Gamed(unix: folder.socket)
        let events = gamed.events(of: "room")
        for _ in 1...2 {
            let stub = try StubDaemon(at: folder.socket, views: [:], replies: Self.replies)
            while stub.count(of: "SUBSCRIBE") == 0 { await Task.yield() }
            #expect(stub.count(of: "SUBSCRIBE", "session:room", "SINCE", "3:7") == 1)
            stub.leave()
        }
        await gamed.close()
        #expect(await events.first { _ in true } == nil)
    }

    @Test func `A session's requests are not sent until the position of its events is known, also if that takes long`()
        async throws
    {
        let folder = try Folder()
        let stub = try StubDaemon(at: folder.socket, views: [:], replies: Self.replies.merging(["STATE": ""]) { $1 })
        defer { stub.leave() }
        let gamed = Gamed(unix: folder.socket, timeout: .milliseconds(300))
        let room = GamedSession(name: "room", of: gamed)
        let events = room.events
        for attempt in 2...4 {
            while stub.count(of: "STATE") < attempt { await Task.yield() }
            let error = await #expect(throws: GamedError.self) { try await room.send("pass") }
            guard case .unavailable? = error else { Issue.record("\(String(describing: error))"); return }
        }
        #expect(stub.count(of: "SEND") == 0)
        await gamed.close()
        #expect(await events.first { _ in true } == nil)
    }

    @Test func `A position that the daemon does not show is a gap on the next connection, and later events follow`()
        async throws
    {
        let folder = try Folder()
        let gamed = Gamed(unix: folder.socket)
        var events = gamed.events(of: "room").makeAsyncIterator()
        let hidden = "-NOPERM this token may not read the session\r\n"
        let stub = try StubDaemon(at: folder.socket, views: [:], replies: Self.replies.merging(["STATE": hidden]) { $1 })
        while stub.count(of: "SUBSCRIBE") == 0 { await Task.yield() }
        #expect(stub.count(of: "SUBSCRIBE", "session:room", "SINCE") == 0)
        stub.leave()
        let restarted = try StubDaemon(at: folder.socket, views: [:], replies: Self.replies)
        defer { restarted.leave() }
        #expect(await events.next()?.what == "gap")
        while restarted.count(of: "SUBSCRIBE", "session:room", "SINCE", "3:7") == 0 { await Task.yield() }
        restarted.publish("session:room", #"{"what":"taken","seq":8,"life":3}"#)
        #expect(await events.next()?.number == 8)
        await gamed.close()
    }

    @Test(.timeLimit(.minutes(1))) func `Events end if the node that has their session refuses the client`() async throws {
        let (folder, node) = (try Folder(), try TcpDaemon(token: TcpDaemon.token, ["--session", "room=turns"]))
        let (address, hello) = ("127.0.0.1:\(node.port)", ["HELLO": "%1\r\n+server\r\n+gamed\r\n"])
        let stub = try StubDaemon(at: folder.socket, views: [:], elsewhere: address, replies: hello)
        defer { stub.leave() }
        let gamed = Gamed(unix: folder.socket)
        #expect(await gamed.events(of: "room").first { _ in true } == nil)
        await gamed.close()
    }

    @Test func `The nodes of a limited number of sessions are remembered, the last one's among them`() {
        var nodes = ClusterNodes()
        let gamed = Gamed(unix: "/nowhere/gamed.sock")
        let names = (0..<ClusterNodes.maxHomes + 100).map { "room-\($0)" }
        for name in names {
            let isAddress = nodes.recordMove(of: name, to: "1 127.0.0.1:9", for: gamed)
            #expect(isAddress && nodes.home(of: name) != nil)
        }
        #expect(names.count { nodes.home(of: $0) != nil } == ClusterNodes.maxHomes)
    }

    @Test func `A gap and another life set the number from which a channel resumes, even to a lower one`() {
        #expect(show(#"{"what":"taken","seq":9,"life":3}"#) == "3:9")
        #expect(show(#"{"what":"gap","seq":4,"session":"room","life":3}"#) == "3:4")
        #expect(show(#"{"what":"begun","seq":1,"life":4}"#) == "4:1")
    }
}

extension Gamed {
    /// Ends a channel while its session is looked for, and adds the next one of that name. Returns whether that one keeps its relay.
    fileprivate func keepsRelay(afterSearchFor session: String) async -> Bool {
        _ = nodes?.recordMove(of: session, to: "1 127.0.0.1:9", for: self)
        let (channel, next) = (EventChannel(session, since: "1:1"), EventChannel(session, since: "1:1"))
        let (search, relay) = (Task { await findAgain(channel.name) }, Task {})
        channel.relay = search
        channels[channel.name] = channel
        // The search begins by forgetting where the session was.
        while nodes?.home(of: session) != nil { await Task.yield() }
        end(channel.name)
        next.relay = relay
        channels[next.name] = next
        await search.value
        return next.relay == relay
    }

    /// Connects while a refused subscription waits, and returns once it was made again.
    fileprivate func connectAfterRefusal(of session: String) async throws {
        let channel = EventChannel(session, since: "3:7")
        channels[channel.name] = channel
        subscriptionIsRefused(of: channel.name, .loading, "restoring")
        let retry = try #require(channel.relay)
        _ = try await ask(["PING"], isRepeatable: true)
        await retry.value
        _ = try await ask(["PING"], isRepeatable: true)
    }
}
