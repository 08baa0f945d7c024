// A connection to a daemon in the same process, so that a test controls each turn.

import BuiltInFlows
import Glibc
import Logging
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import EventLoop
@testable import GameDaemon
@testable import GameFlow
@testable import Network
@testable import Posix
@testable import Sessions

/// A daemon whose turns a test runs one by one.
final class SteppedDaemon {
    let loop: Loop
    let daemon: Daemon

    convenience init(_ change: (inout Limits) -> Void = { _ in }, flows: [FlowKind] = [.flow(Turns.self)], token: String? = nil)
        throws
    {
        try self.init(
            change, flows: flows, tokens: token.map { TokenTable([try TokenLine(secret: $0, from: "of a test")]) } ?? .none)
    }

    init(
        _ change: (inout Limits) -> Void = { _ in }, flows: [FlowKind] = [.flow(Turns.self)], tokens: TokenTable,
        log: Log = .silent, on time: any TimeSource = VirtualClock()
    ) throws {
        loop = try Loop(Timekeeper(time))
        // A turn does the same work on a slow machine: tests count turns.
        loop.watch = VirtualClock()
        var limits = Limits()
        change(&limits)
        daemon = try Daemon(
            on: loop, flows: flows, limits: limits,
            access: Access(tokens: tokens), log: log)
    }

    /// These turns never sleep: each has something to do.
    func turn(_ count: Int = 1) throws {
        for _ in 0..<count {
            loop.schedule {}
            try loop.turn()
        }
    }

    func connect(at transport: Transport = .unix) throws -> SteppedClient { try SteppedClient(daemon, transport) }
}

/// The client's end.
final class SteppedClient {
    private let descriptor: Int32

    fileprivate init(_ daemon: Daemon, _ transport: Transport) throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        descriptor = ends[0]
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        guard let other = Descriptor(ends[1]) else { preconditionFailure("a socket without a descriptor") }
        daemon.connections.accept(other, at: transport)
    }

    deinit {
        close(descriptor)
    }

    /// Sends as much as the socket accepts at once. Returns the number of bytes.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)))
    }

    @discardableResult
    func send(_ text: String) -> Int { send(Array(text.utf8)) }

    /// Returns the received text, or nil if the connection is closed and nothing is left to read.
    func read() -> String? {
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else {
                return bytes.isEmpty && count == 0 ? nil : String(decoding: bytes, as: UTF8.self)
            }
            bytes += buffer[..<count]
        }
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}
