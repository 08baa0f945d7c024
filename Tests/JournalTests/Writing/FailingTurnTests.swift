// In the turn in which the loop learns that the disk fails, held replies become errors before other replies are sent, over RESP and HTTP.

import BuiltInFlows
import GameFlow
import Glibc
import MemoryStore
import Store
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Network
@testable import Posix
@testable import Sessions
@testable import Web

/// A flow whose event waits for a hook.
private struct Door: TypedFlow {
    enum State: FlowState { case closed, open }
    enum Event { case push }

    static let events = Catalogue<Event>(.plain(.push))
    let clock: FlowClock

    func initialState() -> State { .closed }
    func transition(from state: State, on event: Event) throws(FlowError) -> Transition { { .open } }
}

@Suite(.serialized) final class `The turn that learns that the disk fails` {
    private let disk = MemoryStore()
    /// The hook decides once this ends.
    private let (decision, decide) = AsyncStream.makeStream(of: Void.self)
    private let executor: LoopExecutor
    private let loop: Loop
    private let daemon: Daemon
    private let web: WebServer
    private let port: Int

    init() throws {
        loop = try Loop(Timekeeper(VirtualClock()))
        // With a virtual watch, a slow machine does not shorten a turn.
        loop.watch = VirtualClock()
        let door = FlowKind.flow(Door.self) { [decision] in $0.beforeAsync { _, _ in for await _ in decision {} } }
        executor = try LoopExecutor(on: loop)
        door.executor = executor.tasks
        daemon = try Daemon(on: loop, flows: [.flow(Turns.self), door])
        try daemon.recover(from: disk)
        let place = try TcpAddress("127.0.0.1:0")
        let socket = try TcpListener.listening(at: place)
        let address = socket.address
        var settings = WebSettings(place)
        settings.isOpen = true
        web = try WebServer(listening: socket.takeDescriptor(), at: address, settings, of: daemon.host, on: loop)
        port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
        try web.start()
        daemon.web = web
    }

    deinit {
        disk.trouble = .init()
        web.stop()
        try? daemon.persistence?.finish()
    }

    // MARK: Clients

    private func resp() throws -> ClientSocket {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        guard let descriptor = Descriptor(ends[1]) else { preconditionFailure("a socket without a descriptor") }
        daemon.connections.accept(descriptor, at: .unix)
        return ClientSocket(ends[0])
    }

    private func http() throws -> ClientSocket { ClientSocket(try dial(port: port)) }

    private func ask(_ end: ClientSocket, _ method: String, _ path: String, _ body: String = "") {
        end.send(
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private func turn() throws {
        loop.schedule {}
        try loop.turn()
    }

    /// Runs turns until a reply with this text has arrived.
    private func hear(_ end: ClientSocket, _ text: String) throws -> Bool {
        var heard = ""
        return try eventually {
            try turn()
            heard += end.read()
            return heard.contains(text)
        }
    }

    private func version(_ session: String) -> UInt32? { daemon.sessions[session]?.version }

    /// Has each session accept an event that is not on disk, so that its reply is held.
    private func holdAnswers(_ sends: [(session: String, send: () -> Void)]) throws {
        disk.trouble = .init(isStuck: true)
        for (_, send) in sends { send() }
        #expect(
            try eventually {
                try turn()
                return sends.allSatisfy { version($0.session) == 1 }
            })
        // All of them are in batches.
        try turn()
    }

    /// The writer knows of the failure, and the loop does not.
    private func failDisk() throws {
        disk.trouble = .init(failure: StoreError(.full, "the disk is full"))
        let journal = try #require(daemon.persistence?.journal)
        #expect(eventually { journal.writer.report.failure != nil })
    }

    // MARK: The order

    @Test func `Held replies become errors before replies that need no disk are sent`() throws {
        let (player, bystander, page, reader) = (try resp(), try resp(), try http(), try http())
        player.send("NEW one turns\r\nNEW two turns\r\n")
        #expect(try hear(player, "+first\r\n+first\r\n"))
        // Its connection is open, and kept.
        ask(reader, "GET", "/healthz")
        #expect(try hear(reader, " 200 "))
        try holdAnswers([
            ("one", { player.send("SEND one pass\r\n") }),
            ("two", { self.ask(page, "POST", "/api/sessions/two/events", #"{"event":"pass"}"#) }),
        ])
        #expect(player.read() == "" && page.read() == "")
        try failDisk()
        player.send("PING\r\nPING\r\n")
        bystander.send("PING\r\n")
        ask(reader, "GET", "/healthz")
        try turn()
        let replies = player.read()
        #expect(
            replies.hasPrefix("-JOURNAL the disk is full; ") && replies.hasSuffix(" first\r\n+PONG\r\n+PONG\r\n"), "\(replies)")
        #expect(bystander.read() == "+PONG\r\n")
        #expect(try hear(page, "HTTP/1.1 500 "))
        #expect(try hear(reader, " 200 "))
        // The connections go on.
        player.send("STATE one\r\nSEND one pass\r\n")
        #expect(try hear(player, "-JOURNAL the disk is full\r\n"))
        disk.trouble = .init()
        #expect(
            try eventually {
                try turn()
                return daemon.persistence?.journal.writer.report.failure == nil
            })
        // The writer may have recovered since the turn; the loop learns it in the next one.
        try turn()
        player.send("SEND one pass\r\n")
        #expect(try hear(player, "+first\r\n"))
        ask(page, "POST", "/api/sessions/two/events", #"{"event":"pass"}"#)
        #expect(try hear(page, #""version":2"#))
    }

    @Test func `The turn that learns that the disk fails does not acknowledge its own changes`() throws {
        let (player, other) = (try resp(), try resp())
        player.send("NEW one turns\r\nNEW two turns\r\n")
        #expect(try hear(player, "+first\r\n+first\r\n"))
        try holdAnswers([("one", { player.send("SEND one pass\r\n") })])
        try failDisk()
        player.send("PING\r\n")
        other.send("SEND two pass\r\n")
        try turn()
        #expect(version("two") == 1)
        let replies = player.read() + other.read()
        #expect(replies.split(separator: "\r\n").allSatisfy { $0.hasPrefix("-JOURNAL ") }, "\(replies)")
        #expect(replies.split(separator: "\r\n").count == 3, "\(replies)")
    }

    @Test func `Messages to a subscriber wait until their changes are on disk, while replies overtake them`() throws {
        let (player, subscriber) = (try resp(), try resp())
        player.send("NEW one turns\r\n")
        #expect(try hear(player, "+first\r\n"))
        subscriber.send("SUBSCRIBE session:one\r\n")
        #expect(try hear(subscriber, "subscribe"))
        try holdAnswers([("one", { player.send("SEND one pass\r\n") })])
        try failDisk()
        subscriber.send("PING\r\n")
        try turn()
        #expect(subscriber.read() == "*2\r\n$4\r\npong\r\n$0\r\n\r\n")
        subscriber.send("PING\r\n")
        try turn()
        #expect(subscriber.read() == "*2\r\n$4\r\npong\r\n$0\r\n\r\n", "nor later, while the disk fails")
        disk.trouble = .init()
        #expect(try hear(subscriber, "message"))
    }

    @Test func `Messages among replies that become errors wait until their changes are on disk`() throws {
        let (player, other) = (try resp(), try resp())
        player.send("HELLO 3\r\nNEW one turns\r\nNEW two turns\r\nPSUBSCRIBE view:t*\r\nSUBSCRIBE session:one session:two\r\n")
        #expect(try hear(player, "session:two"))
        try turn()
        _ = player.read()
        try holdAnswers([
            (
                "one",
                {
                    other.send("SEND two pass\r\nDROP two\r\n")
                    player.send("SEND one pass\r\n")
                }
            )
        ])
        #expect(version("two") == nil && player.read() == "")
        try failDisk()
        try turn()
        let errors = player.read()
        #expect(errors.hasPrefix("-JOURNAL ") && errors.split(separator: "\r\n").count == 1, "\(errors)")
        disk.trouble = .init()
        var heard = ""
        #expect(
            try eventually {
                try turn()
                heard += player.read()
                // The view of the dropped session is among them.
                return heard.contains("\r\nnull\r\n") && heard.contains(#""session":"one""#)
            }, "\(heard)")
        for (session, number) in [("one", 2), ("two", 2), ("two", 3)] {
            #expect(heard.ranges(of: #""seq":\#(number),"session":"\#(session)""#).count == 1, "\(heard)")
        }
    }

    @Test func `While the disk fails, reads are answered with a backlog above its limit, too`() throws {
        let (player, reader) = (try resp(), try resp())
        player.send("NEW one turns\r\n")
        #expect(try hear(player, "+first\r\n"))
        daemon.limits.journalBacklog = 1
        try holdAnswers([("one", { player.send("SEND one pass\r\n") })])
        reader.send("STATE one\r\n")
        try turn()
        #expect(daemon.connections.isDiskBehind && reader.read() == "")
        try failDisk()
        #expect(try hear(reader, "turns"))
        player.send("PING\r\n")
        #expect(try hear(player, "+PONG\r\n"))
        disk.trouble = .init()
        #expect(
            try eventually {
                try turn()
                return daemon.persistence?.backlogBytes == 0
            })
        // The loop learns it in the next turn.
        try turn()
        player.send("SEND one pass\r\n")
        #expect(try hear(player, "+first\r\n"))
    }

    @Test func `A stream that is ended since the disk fails leaves no reader behind`() throws {
        let (player, page) = (try resp(), try http())
        player.send("NEW one turns\r\n")
        #expect(try hear(player, "+first\r\n"))
        ask(page, "GET", "/api/stream?topic=session:one")
        #expect(try hear(page, "event: view"))
        #expect(web.streams.readerCount == 1)
        try holdAnswers([("one", { player.send("SEND one pass\r\n") })])
        // The stream's next part waits for the disk.
        #expect(
            try eventually {
                try turn()
                return web.isAnswering
            })
        try failDisk()
        #expect(
            try eventually {
                try turn()
                return web.streams.readerCount == 0
            })
        withExtendedLifetime(page) {}
    }

    @Test func `An EXEC whose reply is due fails if its changes are not on disk, and gets no second reply`() throws {
        let player = try resp()
        player.send("NEW one turns\r\nNEW front door\r\nMULTI\r\nSEND one pass\r\nSEND front push\r\n")
        #expect(try hear(player, "+first\r\n+closed\r\n+OK\r\n+QUEUED\r\n+QUEUED\r\n"))
        try holdAnswers([("one", { player.send("EXEC\r\n") })])
        #expect(player.read() == "")
        try failDisk()
        try turn()
        let reply = player.read()
        #expect(reply.hasPrefix("-JOURNAL the disk is full; outcome unknown: ") && reply.hasSuffix(" first\r\n"), "\(reply)")
        decide.finish()
        #expect(
            try eventually {
                try turn()
                return version("front") == 1
            })
        player.send("PING\r\n")
        try turn()
        #expect(player.read() == "+PONG\r\n")
    }

    @Test func `An EXEC whose reply is due gets one at the daemon's end, if its changes are not on disk`() throws {
        let player = try resp()
        player.send("NEW one turns\r\nNEW front door\r\nMULTI\r\nSEND one pass\r\nSEND front push\r\n")
        #expect(try hear(player, "+first\r\n+closed\r\n+OK\r\n+QUEUED\r\n+QUEUED\r\n"))
        try holdAnswers([("one", { player.send("EXEC\r\n") })])
        daemon.answerWhatWaits()
        let reply = player.read()
        #expect(reply.hasPrefix("-UNKNOWN ") && reply.split(separator: "\r\n").count == 1, "\(reply)")
    }

    @Test func `An EXEC that has changed nothing waits for its hook, also while the disk fails`() throws {
        let (player, other) = (try resp(), try resp())
        player.send("HELLO 3\r\nNEW two turns\r\nNEW front door\r\nSUBSCRIBE session:two\r\n")
        #expect(try hear(player, "subscribe"))
        player.send("MULTI\r\nSEND front push\r\nEXEC\r\n")
        #expect(try hear(player, "+QUEUED\r\n"))
        try holdAnswers([("two", { other.send("SEND two pass\r\n") })])
        try failDisk()
        try turn()
        #expect(player.read() == "")
        disk.trouble = .init()
        #expect(try hear(player, "taken"))
        decide.finish()
        #expect(try hear(player, "*1\r\n+open\r\n"))
    }
}
