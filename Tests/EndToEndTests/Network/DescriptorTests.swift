// A closed connection frees its descriptor.

import Foundation
import Testing
import TestSupport

@Suite(.serialized) struct `A connection's descriptor` {
    /// Ways in which a connection can end. ConnectionTests has the others.
    enum End: String, CaseIterable, CustomTestStringConvertible {
        case disconnect, shutDownWrites, host, quitTwice, halfARequest

        var testDescription: String { rawValue }

        /// Sends the bytes, or closes the connection, that bring about this end.
        func come(over wire: TestClient) {
            switch self {
            case .quitTwice: wire.send("PING\r\nQUIT\r\nQUIT\r\nPING\r\n")
            case .disconnect: wire.disconnect()
            case .shutDownWrites:
                wire.send("PING\r\n")
                wire.shutDownWrites()
            case .host: wire.send("Host: localhost\r\n")
            case .halfARequest:
                wire.send("*2\r\n$4\r\nECHO\r\n$10\r\nhe")
                wire.disconnect()
            }
        }
    }

    /// Returns once all earlier connections have been accepted.
    private func settle(_ watcher: TestClient) {
        for _ in 0..<3 {
            watcher.send("PING\r\n")
            #expect(watcher.read(7) == "+PONG\r\n")
        }
    }

    /// Waits until `count` descriptors are open.
    private func hasOnly(_ count: Int, _ daemon: RunningDaemon) throws -> Bool {
        try eventually { try daemon.descriptors() == count }
    }

    @Test(arguments: End.allCases)
    func `A connection that ends frees its descriptor at once for other clients`(end: End) throws {
        let tcp = try TcpDaemon([], maxDescriptors: 64, unprobed: "it counts descriptors")
        let watcher = try TestClient(tcp.daemon.socketPath)
        settle(watcher)
        let before = try tcp.daemon.descriptors()
        for _ in 0..<3 {
            let wires = try (0..<35).map { _ in try tcp.connect() }
            for wire in wires { end.come(over: wire) }
            settle(watcher)
            #expect(try hasOnly(before, tcp.daemon))
            let others = try (0..<35).map { _ in try TestClient(tcp.daemon.socketPath) }
            for other in others { settle(other) }
            for other in others { other.disconnect() }
            settle(watcher)
            #expect(try hasOnly(before, tcp.daemon))
            for wire in wires { _ = wire.readToEnd() }
        }
        #expect(!tcp.daemon.errors.contains("cannot accept connections"), "\(tcp.daemon.errors)")
    }

    @Test func `A descriptor is closed when its client times out, is displaced or exceeds a limit`() throws {
        let tcp = try TcpDaemon(
            ["--session", "room=turns", "--limit", "stranger-ms=100", "--limit", "strangers=10", "--limit", "output-bytes=4k"],
            maxDescriptors: 64, unprobed: "it counts descriptors")
        let watcher = try TestClient(tcp.daemon.socketPath)
        settle(watcher)
        let before = try tcp.daemon.descriptors()
        let strangers = try (0..<100).map { _ in try tcp.connect() }
        for stranger in strangers { #expect(stranger.readToEnd().hasPrefix("-NOAUTH ")) }
        #expect(try hasOnly(before, tcp.daemon))

        let deaf = try (0..<20).map { _ in try TestClient(tcp.daemon.socketPath) }
        for wire in deaf { wire.send(String(repeating: "DESCRIBE game\r\n", count: 200)) }
        for wire in deaf { wire.disconnect() }
        settle(watcher)
        #expect(try hasOnly(before, tcp.daemon))
    }

    @Test(arguments: [false, true])
    func `Clients that take all descriptors they can get leave some for the daemon's own threads`(ofPage: Bool) throws {
        let tcp = try TcpDaemon(
            token: nil, ["--session", "boot=startup", "--http", "127.0.0.1:0"], maxDescriptors: 64,
            unprobed: "it counts descriptors")
        let watcher = try tcp.connect()
        func reaches(_ state: String) throws -> Bool {
            try eventually { try watcher.ask("STATE boot")["state"]?.text == state }
        }
        #expect(try watcher.ask("SEND boot didLaunch").text == "hydrating")
        #expect(try reaches("needsLogin"))
        let port = ofPage ? try #require(tcp.page) : tcp.port
        let before = try tcp.daemon.socketNumbers()
        let greedy = try (0..<100).map { _ in try TestClient(port: port) }
        #expect(tcp.daemon.complains("accept"), "\(tcp.daemon.errors)")
        // An eighth of 64 is kept. The daemon may have inherited others, of a test that runs beside.
        let taken = try tcp.daemon.socketNumbers().subtracting(before)
        #expect(taken.count > 20 && taken.allSatisfy { $0 < 56 }, "\(taken.sorted())")
        // The first log-in begins the first thread of libdispatch, which ends a process that has no descriptor left.
        #expect(try watcher.ask("SEND boot loginRequested").text == "authenticating")
        #expect(try reaches("ready"))
        for wire in greedy { wire.disconnect() }
        settle(try tcp.connect())
    }

    @Test func `Open descriptors never exceed the connection limit, however fast clients connect`() throws {
        let daemon = try RunningDaemon.virtual(["--limit", "connections=100"], unprobed: "it counts descriptors")
        let watcher = try TestClient(daemon.socketPath)
        settle(watcher)
        let before = try daemon.descriptors()
        var most = 0
        for round in 0..<1_500 {
            let wire = try TestClient(daemon.socketPath)
            wire.send(round.isMultiple(of: 2) ? "POST\r\n" : "Host: x\r\n")
            if round.isMultiple(of: 50) { most = max(most, try daemon.descriptors() - before) }
            if round.isMultiple(of: 500) { settle(watcher) }
        }
        #expect(most <= 101)
        #expect(try hasOnly(before, daemon))
    }
}
