// A TCP proxy between a client and a server's port, on its own thread. It simulates network faults.

import Foundation
import Synchronization

/// Delays, swallows, holds or cuts the bytes of its connections. Ends in `deinit`.
package final class Proxy: Sendable {
    package enum Direction: Int, CaseIterable, Sendable {
        case toServer, toClient
    }

    /// The treatment of bytes in one direction, after a number of further bytes.
    package enum Fate: Equatable, Sendable {
        case pass
        /// Further bytes are read and discarded.
        case swallow(after: Int)
        /// Every connection is reset.
        case cut(after: Int)
        /// Further bytes are not read, so that the sender blocks.
        case hold(after: Int)
    }

    /// The test's orders and the proxy's counters.
    struct Orders {
        var fates: [Fate] = [.pass, .pass]
        /// Bytes in each direction since its fate was set.
        var passed = [0, 0]
        var totals = [0, 0]
        var delays = [Duration.zero, .zero]
        var cuts = 0
        var isRefusing = false
        var isOver = false
        var connections = 0
    }

    /// The port to which clients connect.
    package let port: Int
    let orders = Mutex(Orders())
    private let waker: [Int32]

    /// Starts a proxy to a port of this machine.
    package init(to server: Int) throws {
        let (listener, port) = try Self.listen()
        self.port = port
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0
        else { throw SocketError(description: "no pipe: \(errno)") }
        waker = ends
        let (orders, woken) = (ProxyRelay.Source(self), ends[0])
        Thread.detachNewThread { ProxyRelay(listener, server: server, woken: woken, orders).run() }
    }

    deinit {
        orders.withLock { $0.isOver = true }
        // The thread closes its own end.
        close(waker[1])
    }

    // MARK: Orders

    /// Applies to open and new connections from now on.
    package func set(_ direction: Direction, _ fate: Fate) {
        change {
            $0.fates[direction.rawValue] = fate
            $0.passed[direction.rawValue] = 0
        }
    }

    /// Removes all faults.
    package func pass() {
        change {
            ($0.fates, $0.passed, $0.delays, $0.isRefusing) = ([.pass, .pass], [0, 0], [.zero, .zero], false)
        }
    }

    /// Delays all bytes in both directions.
    package func delay(_ duration: Duration) { for direction in Direction.allCases { delay(duration, direction) } }

    package func delay(_ duration: Duration, _ direction: Direction) { change { $0.delays[direction.rawValue] = duration } }

    /// Resets all open connections.
    package func cut() { change { $0.cuts += 1 } }

    /// Resets new connections.
    package func refuse() { change { $0.isRefusing = true } }

    /// The number of bytes received in this direction since the start.
    package func count(_ direction: Direction) -> Int { orders.withLock { $0.totals[direction.rawValue] } }

    /// The number of connections accepted since the start.
    package var connections: Int { orders.withLock { $0.connections } }

    private func change(_ body: (inout sending Orders) -> Void) {
        orders.withLock { body(&$0) }
        var byte = UInt8(1)
        write(waker[1], &byte, 1)
    }

    private static func listen() throws -> (descriptor: Int32, port: Int) {
        let (descriptor, port) = try boundSocket()
        guard Glibc.listen(descriptor, 64) == 0 else { throw SocketError(description: "no listener for a proxy: \(errno)") }
        return (descriptor, port)
    }
}
