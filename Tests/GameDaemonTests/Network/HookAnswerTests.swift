// SEND's reply to an event that waits for a flow's asynchronous hook.

import Posix
import RESP
import Synchronization
import Testing
@testable import Commands
@testable import Console
@testable import EventLoop
@testable import GameDaemon
@testable import GameFlow
@testable import Network
@testable import Sessions

/// An asynchronous hook that decides when the test says so.
private final class ControlledHook: Sendable {
    struct Veto: Error, CustomStringConvertible { let description: String }

    private let waiting = Mutex<[CheckedContinuation<Void, any Error>]>([])

    func run() async throws { try await withCheckedThrowingContinuation { one in waiting.withLock { $0.append(one) } } }
    var isWaiting: Bool { waiting.withLock { !$0.isEmpty } }
    private func decide(_ result: Result<Void, any Error>) {
        waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.resume(with: result)
    }
    func accept() { decide(.success(())) }
    func veto(_ reason: String) { decide(.failure(Veto(description: reason))) }
}

private struct Door: TypedFlow {
    enum State: FlowState { case closed, open, locked }
    enum Event { case push, pull, ring }

    static let events = Catalogue<Event>(.plain(.push), .plain(.pull), .plain(.ring))
    let clock: FlowClock

    func initialState() -> State { .closed }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.closed, .push): { .open }
        case (.open, .pull): { .closed }
        case (.closed, .ring): throw .postpone
        case (.open, .ring): { .open }
        default: throw .transitionNotFound
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct `The reply to an event that waits for a hook` {
    private let hook = ControlledHook()
    private let stepped: SteppedDaemon
    private let client: SteppedClient
    private let executor: LoopExecutor

    init() throws {
        let door = FlowKind.flow(Door.self) { [hook] in $0.beforeAsync { _, _ in try await hook.run() } }
        stepped = try SteppedDaemon(flows: [door])
        executor = try LoopExecutor(on: stepped.loop)
        door.executor = executor.tasks
        client = try stepped.connect()
        client.send("NEW front door\r\n")
        try stepped.turn(2)
        #expect(client.read() == "+closed\r\n")
    }

    /// Runs turns until the hook runs, so that the test can complete it.
    private func waitForTheHook() throws { while !hook.isWaiting { try stepped.turn() } }

    /// Runs turns that sleep until there is work, until the client has received this many lines.
    private func received(by client: SteppedClient, lines: Int = 1) throws -> String {
        var text = ""
        while text.filter({ $0 == "\r\n" }).count < lines {
            try stepped.loop.turn()
            text += client.read() ?? ""
        }
        return text
    }

    @Test func `SEND replies after the hook has decided, with the new state or the veto`() throws {
        client.send("SEND front push\r\n")
        try waitForTheHook()
        try stepped.turn(3)
        #expect(client.read() == "")
        hook.accept()
        #expect(try received(by: client) == "+open\r\n")
        client.send("SEND front pull\r\n")
        try waitForTheHook()
        hook.veto("the hook is asleep")
        #expect(try received(by: client) == "-VETOED the hook is asleep\r\n")
    }

    @Test func `A repeated SEND with an ID gets the hook's decision again, and changes nothing`() throws {
        let other = try stepped.connect()
        client.send("SEND front push ID k\r\n")
        try waitForTheHook()
        other.send("SEND front push ID k\r\n")
        #expect(try received(by: other) == "-BUSY the event with the id 'k' still waits for a hook; try again in a moment\r\n")
        hook.accept()
        #expect(try received(by: client) == "+open\r\n")
        other.send("SEND front push ID k\r\n")
        #expect(try received(by: other) == "+open\r\n")
        client.send("SEND front pull ID l\r\n")
        try waitForTheHook()
        hook.veto("the hook is asleep")
        for client in [client, other] {
            if client === other { other.send("SEND front pull ID l\r\n") }
            #expect(try received(by: client) == "-VETOED the hook is asleep\r\n")
        }
        #expect(stepped.daemon.sessions.find("front")?.machine.version == 1)
    }

    @Test func `SEND replies UNKNOWN if its session moves or the daemon stops before the hook decides`() throws {
        let other = try stepped.connect()
        client.send("NEW back door\r\nSEND front push\r\n")
        other.send("SEND back push\r\nPING\r\n")
        try waitForTheHook()
        try stepped.turn(2)
        let sessions = stepped.daemon.sessions
        let slot = try #require(sessions.find("front")).slot
        stepped.loop.schedule { sessions.evict(slot) }
        try stepped.turn(2)
        #expect(client.read()?.hasPrefix("+closed\r\n-UNKNOWN the session moved to another node") == true)
        stepped.loop.schedule { [daemon = stepped.daemon] in daemon.answerWhatWaits() }
        try stepped.turn(2)
        #expect(other.read()?.hasPrefix("-UNKNOWN this daemon is stopping") == true)
        #expect(other.read() == nil, "it is closed, and its later requests are not executed")
    }

    @Test func `A SEND that waits for a hook delays its client's later requests, and no other client's`() throws {
        let other = try stepped.connect()
        client.send("SEND front push\r\nPING\r\n")
        try stepped.turn()
        client.send("ECHO later\r\nPI")
        other.send("ECHO here\r\nSTATE front\r\n")
        try waitForTheHook()
        try stepped.turn(2)
        #expect(client.read() == "")
        #expect(other.read()?.contains("here") == true)
        hook.accept()
        client.send("NG\r\n")
        #expect(try received(by: client, lines: 5) == "+open\r\n+PONG\r\n$5\r\nlater\r\n+PONG\r\n")
    }

    @Test func `Events that wait for a hook one behind the other are answered in order`() throws {
        let other = try stepped.connect()
        client.send("SEND front push\r\n")
        try waitForTheHook()
        other.send("SEND front push\r\n")
        try stepped.turn()
        hook.accept()
        #expect(try received(by: client) == "+open\r\n")
        #expect(try received(by: other).hasPrefix("-NOTRANSITION 'push' is not valid in 'open'"))
    }

    @Test func `SEND replies POSTPONED to an event that waited for a hook and is then postponed`() throws {
        let other = try stepped.connect()
        client.send("SEND front push\r\n")
        try waitForTheHook()
        other.send("SEND front ring\r\n")
        try stepped.turn()
        hook.veto("not now")
        #expect(try received(by: client).hasPrefix("-VETOED"))
        #expect(try received(by: other) == "+POSTPONED closed\r\n")
        #expect(stepped.daemon.sessions["front"]?.waitingEvents.map(\.isPostponed) == [true])
    }

    @Test func `SEND replies TIMEOUT if the hook exceeds hook-ms, and the event is withdrawn`() throws {
        client.send("CONFIG SET hook-ms 20\r\n")
        #expect(try received(by: client) == "+OK\r\n")
        client.send("SEND front push\r\n")
        #expect(
            try received(by: client)
                == "-TIMEOUT the hook has not decided within 20 ms, so the event was withdrawn and has changed nothing\r\n")
        hook.accept()
        try stepped.turn(3)
        let machine = try #require(stepped.daemon.sessions["front"])
        #expect(machine.stateName == "closed" && machine.version == 0 && machine.waitingEvents.isEmpty)
        let lines = try #require(stepped.daemon.sessions.find("front")).history(9)
        #expect(lines.map(\.kind) == [.refused, .waiting, .begun] && lines[0].refused?.code == .timeout)
    }

    @Test func `An event queued behind a waiting one times out alone, and the waiting one continues`() throws {
        let other = try stepped.connect()
        client.send("SEND front push\r\n")
        try waitForTheHook()
        other.send("CONFIG SET hook-ms 20\r\nSEND front pull\r\n")
        #expect(try received(by: other, lines: 2).hasPrefix("+OK\r\n-TIMEOUT "))
        hook.accept()
        #expect(try received(by: client) == "+open\r\n")
        try stepped.turn(3)
        #expect(stepped.daemon.sessions["front"]?.stateName == "open")
    }

    @Test func `An event queued behind a waiting one is withdrawn after hook-ms although its client is gone`() throws {
        let other = try stepped.connect()
        client.send("SEND front push\r\n")
        try waitForTheHook()
        other.send("CONFIG SET hook-ms 20\r\nSEND front pull\r\n")
        let machine = try #require(stepped.daemon.sessions["front"])
        while machine.waitingEvents.count < 2 { try stepped.turn() }
        other.hangUp()
        while machine.waitingEvents.count > 1 { try stepped.loop.turn() }
        let line = try #require(stepped.daemon.sessions.find("front")).history(1).first
        #expect(line?.isRefused == true && line?.refused?.code == .timeout)
        hook.accept()
        #expect(try received(by: client) == "+open\r\n")
    }

    @Test(arguments: [
        ("DROP front", "-NOSESSION the session was dropped before the hook decided about the event\r\n"),
        ("FORCE front locked", "-STALE another state was forced before the hook decided about the event\r\n"),
    ])
    func `SEND replies with an error if the session is dropped or forced before the hook decides`(deed: String, reply: String)
        throws
    {
        let master = try stepped.connect()
        client.send("SEND front push\r\n")
        try waitForTheHook()
        master.send("\(deed)\r\n")
        #expect(try received(by: client) == reply)
        hook.accept()
        try stepped.turn(3)
        #expect(stepped.daemon.sessions["front"]?.stateName ?? "locked" == "locked")
    }

    @Test func `EXEC replies after all its hooks have decided, in the order of its commands`() throws {
        client.send(
            "NEW back door\r\nMULTI\r\nECHO one\r\nSEND front push\r\nSUBSCRIBE session:a session:b\r\nSEND back push\r\nPING\r\n"
        )
        client.send("EXEC\r\nECHO after\r\n")
        try waitForTheHook()
        #expect(client.read() == "+closed\r\n+OK\r\n" + String(repeating: "+QUEUED\r\n", count: 5))
        hook.veto("not at the front")
        while !hook.isWaiting { try stepped.turn() }
        try stepped.turn(3)
        #expect(client.read() == "")
        hook.accept()
        let subscribed = ["session:a", "session:b"].enumerated().map { index, name in
            "*3\r\n$9\r\nsubscribe\r\n$9\r\n\(name)\r\n:\(index + 1)\r\n"
        }
        let reply =
            "*6\r\n$3\r\none\r\n-VETOED not at the front\r\n\(subscribed.joined())+open\r\n*2\r\n$4\r\npong\r\n$0\r\n\r\n"
        #expect(try received(by: client, lines: 23).hasPrefix(reply))
    }

    @Test func `Messages and views come after the reply to an EXEC with RESP2 that subscribes and waits for a hook`() throws {
        let other = try stepped.connect()
        client.send("MULTI\r\nSEND front push\r\nSUBSCRIBE session:front view:front\r\nEXEC\r\n")
        try waitForTheHook()
        other.send("SEND front ring\r\n")
        try stepped.turn(3)
        #expect(client.read() == "+OK\r\n+QUEUED\r\n+QUEUED\r\n")
        hook.accept()
        var text = ""
        while !text.contains("$7\r\nmessage\r\n$10\r\nview:front\r\n") { text += try received(by: client) }
        #expect(text.hasPrefix("*3\r\n+open\r\n*3\r\n$9\r\nsubscribe\r\n"), "\(text)")
        #expect(text.contains("\"what\":\"taken\""), "\(text)")
    }

    @Test func `The reply of an EXEC that waits for a hook counts as memory of its client until it comes`() throws {
        let filler = String(repeating: "y", count: 40_000)
        client.send("MULTI\r\nECHO \(filler)\r\nSEND front push\r\nEXEC\r\n")
        try waitForTheHook()
        let connection = try #require(stepped.daemon.connections.all.first)
        #expect(connection.client.stateBytes >= 40_000 && client.read()?.contains(filler) == false)
        hook.accept()
        #expect(try received(by: client, lines: 4).contains(filler))
        #expect(connection.client.stateBytes == 0)
    }

    @Test func `An EXEC that waits for a hook takes effect though its client is disconnected within it`() throws {
        stepped.daemon.host.limits.outputBytes = 4_096
        let filler = String(repeating: "y", count: 4_020)
        client.send(
            "MULTI\r\nSEND front push\r\nSUBSCRIBE session:back\r\nECHO \(filler)\r\nNEW back door\r\n"
                + "SUBSCRIBE session:front\r\nEXEC\r\n")
        try waitForTheHook()
        #expect(client.read() == nil, "the message about 'back' is more than it may leave unread")
        hook.accept()
        try stepped.turn(3)
        #expect(stepped.daemon.sessions["front"]?.stateName == "open" && stepped.daemon.sessions["back"] != nil)
        #expect(stepped.daemon.host.subscriptions.count == 0)
    }

    @Test func `An EXEC that drops the session of a waiting event gets its reply at once`() throws {
        client.send("MULTI\r\nSEND front push\r\nDROP front\r\nEXEC\r\nPING\r\n")
        let text = try received(by: client, lines: 7)
        #expect(
            text.hasSuffix(
                "*2\r\n-NOSESSION the session was dropped before the hook decided about the event\r\n:1\r\n+PONG\r\n"))
    }

    @Test func `An event that waits for a hook takes effect after its client has disconnected`() throws {
        client.send("SEND front push\r\n")
        try waitForTheHook()
        client.hangUp()
        try stepped.turn(3)
        hook.accept()
        try stepped.turn(3)
        #expect(stepped.daemon.sessions["front"]?.stateName == "open")
    }

    /// A console without a terminal.
    private final class Face: ConsoleFace {
        var refusals: [String] = []

        func start(on loop: Loop) {}
        func refresh() {}
        func refuse(_ sentence: String) { refusals.append(sentence) }
        func stop() {}
        func outputDidDrain() {}
        func outputDidFail(_ error: StreamError) {}
    }

    @Test func `A console shows the hook's decision on a waiting event only if it is a veto`() throws {
        let (console, face) = (try Console(of: stepped.daemon.host, showing: "front") { _ in }, Face())
        console.face = face
        for isVetoed in [true, false] {
            #expect(console.perform(.send(event: "push", payload: nil)) == nil)
            try waitForTheHook()
            console.endTurn()
            if isVetoed { hook.veto("not today") } else { hook.accept() }
            try stepped.turn(2)
            console.endTurn()
        }
        #expect(face.refusals == ["not today"] && stepped.daemon.sessions["front"]?.stateName == "open")
    }

    @Test func `A console's next command is not refused by the veto of an earlier event in the same turn`() throws {
        let (console, face) = (try Console(of: stepped.daemon.host, showing: "front") { _ in }, Face())
        console.face = face
        #expect(console.perform(.send(event: "push", payload: nil)) == nil)
        try waitForTheHook()
        hook.veto("not today")
        try stepped.turn(2)
        #expect(console.perform(.begin(["back", "door"])) == nil)
        #expect(face.refusals == ["not today"] && console.shown == "back")
    }

    @Test func `A hook's veto of a waiting event is an entry of the session's history`() throws {
        client.send("SEND front push\r\n")
        try waitForTheHook()
        hook.veto("closed on Mondays")
        _ = try received(by: client)
        let lines = try #require(stepped.daemon.sessions.find("front")).history(9)
        #expect(lines.map(\.kind) == [.refused, .waiting, .begun])
        #expect(lines[0].refused?.facts == .vetoed("closed on Mondays"))
    }
}
