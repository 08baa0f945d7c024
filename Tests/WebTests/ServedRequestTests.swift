// Requests and streams of a page, and those that a node forwards, over real sockets.

import Cluster
import Glibc
import Memory
import Network
import Posix
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import HTTP
@testable import Web

/// Serialized, since servers in one process share a table that only one thread uses.
@Suite(.serialized) struct `A page on a loop` {
    private let page: ServedPage

    init() throws {
        page = try ServedPage([
            .chart(text: counterFlow),
            .chart(
                text: #"""
                    { id: "child", initial: "open", states: { open: { on: { buzz: "over" } }, over: { type: "final" } } }
                    """#),
            .chart(
                text: #"""
                    { id: "parent", initial: "runs",
                      states: { runs: { invoke: { flow: "child", id: "child", onDone: "rests" } }, rests: {} } }
                    """#),
        ])
    }

    @Test func `Streams whose clients leave at the same time end in several turns, and other clients are served between`()
        throws
    {
        var clients: [ClientSocket] = []
        for _ in 0..<200 {
            let (request, client) = try page.receive("/stream")
            #expect(page.front.beginStream(request, []) != nil)
            clients.append(client)
        }
        var counts: [Int] = []
        func turn() throws {
            try page.turn()
            _ = page.front.endTurn(maxBytes: .max)
            counts.append(page.front.connectionCount)
        }
        for _ in 0..<4 { try turn() }
        #expect(counts.last == 200)
        clients = []
        let isOver = try eventually {
            try turn()
            return counts.last == 0
        }
        #expect(isOver)
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 - $1 <= 64 }, "\(counts)")
    }

    private var oneHourAhead: Int64 { TurnClock.now().wallNanoseconds + 3_600_000_000_000 }

    private func join(at wallNanoseconds: Int64) throws -> NodeOfItself {
        let node = NodeOfItself(page, having: "there", at: wallNanoseconds)
        page.host.cluster = node
        try page.host.begin("there", flow: "counter")
        return node
    }

    // MARK: Requests

    @Test func `The response to an event that ends a child session has the child's last view`() throws {
        try page.host.begin("tv", flow: "parent")
        page.host.fireDueTimers()
        #expect(page.host.sessions.find("tv/child") != nil)
        let client = try page.ask(
            "POST", "/api/sessions/tv%2Fchild/events", ["Content-Type: application/json"], #"{"event":"buzz"}"#)
        let heard = try page.hear(client, #""at_ms":"#)
        #expect(heard.hasPrefix("HTTP/1.1 200 ") && heard.contains(#""state":"over""#), "\(heard)")
        #expect(page.host.sessions.find("tv/child") == nil)
    }

    // MARK: Forwarded requests

    @Test func `A forwarded request is released once its response has been sent`() throws {
        let node = try join(at: oneHourAhead)
        weak var forwarded: HTTPRequest?
        let client: ClientSocket
        do {
            let received = try page.receive("/api/sessions/there")
            (forwarded, client) = (received.request, received.client)
            let visitor = Visitor(.guest, actor: "127.0.0.1:1")
            #expect(page.web.forward(received.request, about: "there", of: visitor, isRelayed: false))
        }
        #expect(try page.hear(client, #""session":"there""#).hasPrefix("HTTP/1.1 200 "))
        #expect(
            try eventually {
                try page.turn()
                return forwarded == nil
            })
        withExtendedLifetime(node) {}
    }

    @Test func `A node accepts a forwarded request by the database's clock, whatever its own says`() throws {
        let node = try join(at: oneHourAhead)
        for (date, status) in [(node.wallNanoseconds, 200), (TurnClock.now().wallNanoseconds, 403)] {
            let (path, signer) = ("/api/sessions/there", RelaySigner(key: page.web.relayKey))
            let pass = signer.write(.link, at: Int(date / 1_000_000), "GET", path, [])
            let client = try page.ask("GET", path, ["\(RelaySigner.header): \(pass)"])
            #expect(try page.hear(client, "}").hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test func `A node forwards a request with the database's time, whatever its own clock says`() throws {
        let node = try join(at: oneHourAhead)
        let client = try page.ask("GET", "/api/sessions/there")
        #expect(try page.hear(client, "}").hasPrefix("HTTP/1.1 200 "))
        withExtendedLifetime(node) {}
    }

    // MARK: Streams

    /// A stream's reader whose events `client` receives.
    private func openStream() throws -> (reader: StreamReader, client: ClientSocket) {
        let (request, client) = try page.receive("/")
        let stream = try #require(page.front.beginStream(request, []))
        let subscriber = StreamReader.Subscriber(
            stream: stream, scope: nil, consumer: .privileged, isNode: false, hasLogin: false
        ) { true }
        return (page.web.streams.add(subscriber, [.session(ByteString("a"))], since: nil), client)
    }

    @Test func `The first event of a stream is hello, also if another node's comes before any of this one`() throws {
        let (reader, client) = try openStream()
        reader.append(foreign: "away", #"{"session":"a","reason":"it is away"}"#.utf8)
        _ = reader.flush()
        let heard = try page.hear(client, "event: away")
        #expect(heard.split(separator: "event: ").dropFirst().first?.hasPrefix("hello\n") == true, "\(heard)")
    }

    @Test func `A stream has no room while as much of it as may wait is held for the disk`() throws {
        let (reader, client) = try openStream()
        _ = try page.hear(client, "event: hello")
        #expect(reader.hasRoom)
        var gate = ResponseGate()
        gate.add(.part(reader.stream, [UInt8](repeating: 65, count: page.web.streams.room)[...]))
        #expect(!reader.hasRoom)
        gate.release(awaiting: 1)
        #expect(!reader.hasRoom && reader.stream.unsent == 0)
        gate.release(through: 1)
        #expect(
            try eventually {
                try page.turn()
                _ = client.read()
                return reader.hasRoom
            })
    }

    // MARK: Responses of other nodes

    private final class Receiver: ExchangeDelegate {
        var bytes = 0
        var hasEnded = false

        func exchange(_: HTTPExchange, didReceive _: AnswerHead) {}
        func exchange(_: HTTPExchange, didReceive bytes: [UInt8]) { self.bytes += bytes.count }
        func exchange(_: HTTPExchange, didEnd _: HTTPExchange.Outcome) { hasEnded = true }
    }

    /// Runs turns until it is true.
    private func turns(until isTrue: () -> Bool) throws -> Bool {
        try eventually {
            try page.turn()
            return isTrue()
        }
    }

    @Test func `A stream of another node that was paused ends, too, if the node sends nothing more`() throws {
        let stream = HTTPClientRequest("GET", "/", headers: [], body: [])
        let socket = try TcpListener.listening(at: TcpAddress("127.0.0.1:0"))
        let address = try #require(HostAndPort(socket.address))
        let listener = socket.takeDescriptor()
        let (receiver, names) = (Receiver(), try NameLookup(on: page.loop))
        let exchange = try HTTPExchange(stream, to: address, certificate: nil, context: nil, silence: 200, on: page.loop)
        exchange.delegate = receiver
        exchange.start(names)
        var accepted: Int32 = -1
        #expect(
            try turns {
                accepted = accept(listener.number, nil, nil)
                return accepted >= 0
            })
        let server = ClientSocket(accepted)
        server.send("HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nevent")
        #expect(try turns { receiver.bytes == 5 || receiver.hasEnded })
        exchange.pause()
        exchange.resume()
        #expect(try turns { receiver.hasEnded })
        withExtendedLifetime((exchange, names, server)) {}
    }
}
