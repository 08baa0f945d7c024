// Names of subscriptions are compared as bytes, without Unicode normalization.

import RESP
import Testing
@testable import Commands
@testable import GameDaemon
@testable import GameFlow

@Suite struct `A subscription's name` {
    private static let composed = "caf\u{e9}"
    private static let decomposed = "cafe\u{301}"

    /// Restores a session whose name may be any bytes, as an earlier version of gamed stored it.
    private func restore(_ name: [UInt8], at place: UInt32, _ stepped: SteppedDaemon) throws -> AnyMachine {
        let machine = try #require(stepped.daemon.sessions.flows.first).begin(on: stepped.loop.timekeeper)
        try name.withUnsafeBytes {
            let argument = Argument($0)
            let vacancy = try #require(stepped.daemon.sessions.vacancy(for: argument))
            stepped.daemon.sessions.restore(argument, machine, at: place, 1, seq: 1, vacancy)
        }
        return machine
    }

    private func bulk(_ text: String) -> String { "$\(text.utf8.count)\r\n\(text)\r\n" }

    @Test func `Subscription names that are equal only by Unicode normalization are different`() throws {
        let stepped = try SteppedDaemon()
        let (one, two) = (try stepped.connect(), try stepped.connect())
        try stepped.daemon.begin(Self.composed, flow: "turns")
        try stepped.daemon.begin(Self.decomposed, flow: "turns")
        one.send("SUBSCRIBE session:\(Self.composed) session:\(Self.decomposed)\r\n")
        two.send("PSUBSCRIBE session:\(Self.decomposed)\r\n")
        try stepped.turn()
        #expect(one.read()?.hasSuffix("\r\n:2\r\n") == true, "two names, two subscriptions")
        _ = two.read()
        let master = try stepped.connect()
        master.send("SEND \(Self.composed) pass\r\n")
        try stepped.turn(2)
        let heard = try #require(one.read()).utf8
        #expect(Array(heard).firstRange(of: Array(bulk("session:" + Self.composed).utf8)) != nil)
        #expect(Array(heard).firstRange(of: Array(bulk("session:" + Self.decomposed).utf8)) == nil)
        #expect(two.read() == "", "it subscribed to the other name")
        master.send("SEND \(Self.decomposed) pass\r\n")
        try stepped.turn(2)
        #expect(two.read()?.hasPrefix("*4\r\n$8\r\npmessage\r\n") == true)
    }

    @Test func `UNSUBSCRIBE ends only the subscription whose name has the same bytes`() throws {
        let stepped = try SteppedDaemon()
        let client = try stepped.connect()
        client.send("SUBSCRIBE session:\(Self.composed)\r\nUNSUBSCRIBE session:\(Self.decomposed)\r\n")
        try stepped.turn()
        #expect(client.read()?.hasSuffix("\r\n:1\r\n") == true)
        client.send("UNSUBSCRIBE session:\(Self.composed)\r\n")
        try stepped.turn()
        #expect(client.read()?.hasSuffix("\r\n:0\r\n") == true)
    }

    @Test func `A subscription's name may be invalid UTF-8, and receives the messages of that session`() throws {
        let stepped = try SteppedDaemon()
        let name = Array("session:".utf8) + [0xFF, 0xFE]
        _ = try restore([0xFF, 0xFD], at: 0, stepped)
        let machine = try restore([0xFF, 0xFE], at: 1, stepped)
        let client = LocalClient(of: stepped.daemon.host)
        func run(_ words: [[UInt8]]) -> [Reply] {
            let filled = RequestArguments.filled(words)
            client.client.call.execute(Request(words: Words(filled.arguments)))
            defer { withExtendedLifetime(filled) {} }
            return client.takeReplies()
        }
        #expect(run([Array("SUBSCRIBE".utf8), name]) == [.push([.bulk(text: "subscribe"), .bulk(name), .integer(1)])])
        let pattern = Array("session:".utf8) + [0x5B, 0xFE, 0xFF, 0x5D, 0xFE]
        #expect(run([Array("PSUBSCRIBE".utf8), pattern]) == [.push([.bulk(text: "psubscribe"), .bulk(pattern), .integer(2)])])
        try machine.send(at: #require(machine.kind.index(ofEvent: "pass")), payload: nil, from: .ui)
        let messages = client.takeReplies()
        #expect(messages.count == 2)
        guard case .push(let first)? = messages.first, case .push(let second)? = messages.last else { return }
        #expect(first.prefix(2) == [.bulk(text: "message"), .bulk(name)])
        #expect(second.prefix(3) == [.bulk(text: "pmessage"), .bulk(pattern), .bulk(name)])
        #expect(run([Array("UNSUBSCRIBE".utf8)]) == [.push([.bulk(text: "unsubscribe"), .bulk(name), .integer(1)])])
    }
}

/// The words of a request, with the bytes that they lie in.
private final class FilledRequest {
    var queue = ByteQueue()
    var parser = RequestParser()
    var arguments: RequestArguments { parser.arguments }
}

extension RequestArguments {
    fileprivate static func filled(_ words: [[UInt8]]) -> FilledRequest {
        let request = FilledRequest()
        request.queue.append(request: words)
        _ = try? request.parser.next(in: request.queue.bytes)
        return request
    }
}
