// A page on a loop whose turns the test runs, and a second server beside it, whose requests the test answers.

import Cluster
import Commands
import GameFlow
import Network
import Posix
import RESP
import Sessions
import TestSupport
import Testing
import Timers
@testable import EventLoop
@testable import HTTP
@testable import Web

final class ServedPage {
    private final class Requests { var all: [HTTPRequest] = [] }

    let loop: Loop
    let host: Host
    let web: WebServer
    let port: Int
    /// The other server.
    let front: HTTPServer
    private let frontPort: Int
    private let requests = Requests()

    init(_ flows: [FlowKind]) throws {
        loop = try Loop(Timekeeper(VirtualClock()))
        // With a virtual watch, a slow machine does not shorten a turn.
        loop.watch = VirtualClock()
        host = Host(on: loop.timekeeper, flows: flows, commands: .all)
        let place = try TcpAddress("127.0.0.1:0")
        let socket = try TcpListener.listening(at: place)
        let frontSocket = try TcpListener.listening(at: place)
        let (address, frontAddress) = (socket.address, frontSocket.address)
        var settings = WebSettings(place)
        settings.isOpen = true
        web = try WebServer(listening: socket.takeDescriptor(), at: address, settings, of: host, on: loop)
        front = HTTPServer(
            listening: frontSocket.takeDescriptor(), certificate: nil, on: loop, log: host.log, displaced: { _, _ in [] }
        ) { [requests] in requests.all.append($0) }
        (port, frontPort) = (try #require(Self.port(in: address)), try #require(Self.port(in: frontAddress)))
        try web.start()
        try front.start()
    }

    deinit {
        web.stop()
        front.stop()
    }

    private static func port(in address: String) -> Int? { address.split(separator: ":").last.flatMap { Int($0) } }

    /// A turn that does not wait, and its output.
    func turn() throws {
        loop.schedule {}
        try loop.turn()
        _ = web.endTurn(besides: 0)
        web.releaseOutput(awaiting: nil)
    }

    func ask(_ method: String, _ path: String, _ headers: [String] = [], _ body: String = "") throws -> ClientSocket {
        try ask(port, method, path, headers, body)
    }

    private func ask(
        _ port: Int, _ method: String, _ path: String, _ headers: [String], _ body: String
    ) throws -> ClientSocket {
        let client = ClientSocket(try dial(port: port))
        let lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Content-Length: \(body.utf8.count)"] + headers
        client.send(lines.map { $0 + "\r\n" }.joined() + "\r\n" + body)
        return client
    }

    /// Runs turns until the client has received this text. Returns all that it has received.
    func hear(_ client: ClientSocket, _ text: String) throws -> String {
        var heard = ""
        let hasHeard = try eventually {
            try turn()
            heard += client.read()
            return heard.contains(text)
        }
        #expect(hasHeard, "\(heard)")
        return heard
    }

    /// A GET that the other server has received, and its client.
    func receive(_ path: String) throws -> (request: HTTPRequest, client: ClientSocket) {
        let client = try ask(frontPort, "GET", path, [], "")
        #expect(
            try eventually {
                try turn()
                return !requests.all.isEmpty
            })
        let request = requests.all.popLast()
        return (try #require(request), client)
    }
}

/// A cluster whose other node is this one, too: requests about some sessions are forwarded to the node itself.
final class NodeOfItself: ClusterMember {
    let wallNanoseconds: Int64
    private let node: RemoteNode
    /// The session that the other node is said to have.
    private let session: String

    init(_ page: ServedPage, having session: String, at wallNanoseconds: Int64) {
        let address = NodeAddress(host: "127.0.0.1", port: page.port)
        let door = NodeEndpoint(address: address, certificate: nil, key: page.web.relayKey)
        node = RemoteNode(name: "other", incarnation: 2, address: address, door: door, state: .here)
        (self.session, self.wallNanoseconds) = (session, wallNanoseconds)
    }

    let name = "this"
    let failure: String? = nil
    let peers: [ClusterPeer] = []
    let incarnationNumber: Int64 = 1
    var others: [RemoteNode] { [node] }
    var report: ClusterReport { ClusterReport(at: .zero) }
    var statistics: ClusterStatistics { ClusterStatistics() }

    func check(slot: Int) throws(CommandError) {}
    func other(ofSlot slot: Int) -> RemoteNode? { slot == HashSlot.of(session) ? node : nil }
    func sessions(ofSlot slot: Int) -> [Session] { [] }
}
