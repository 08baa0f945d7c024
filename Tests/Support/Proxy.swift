// A network that does as a test says, between a client and a server's port, on a thread of its own.

import Foundation
import Synchronization

/// Delays, swallows, holds and cuts what goes through it. Gone with the last reference to it.
package final class Proxy: Sendable {
    package enum Direction: Int, CaseIterable, Sendable {
        case toServer, toClient
    }

    /// What happens to bytes of one direction, after so many more of it.
    package enum Fate: Equatable, Sendable {
        case pass
        /// They are taken, and go nowhere.
        case swallow(after: Int)
        /// Every connection is reset.
        case cut(after: Int)
        /// They are not taken: whoever sends them waits.
        case hold(after: Int)
    }

    /// What the test says, and what has happened.
    struct Orders {
        var fates: [Fate] = [.pass, .pass]
        /// Bytes of each direction since its fate was said.
        var passed = [0, 0]
        var totals = [0, 0]
        var delays = [Duration.zero, .zero]
        var cuts = 0
        var isRefusing = false
        var isOver = false
        var connections = 0
    }

    /// Where clients connect.
    package let port: Int
    let orders = Mutex(Orders())
    private let waker: [Int32]

    /// To a port of this machine.
    package init(to server: Int) throws {
        let (listener, port) = try Self.listen()
        self.port = port
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0
        else { throw NobodyListens(description: "no pipe: \(errno)") }
        waker = ends
        let (orders, woken) = (ProxyRelay.Source(self), ends[0])
        Thread.detachNewThread { ProxyRelay(listener, server: server, woken: woken, orders).run() }
    }

    deinit {
        orders.withLock { $0.isOver = true }
        // The thread closes its end.
        close(waker[1])
    }

    // MARK: Orders

    /// From now on, and for connections to come.
    package func set(_ direction: Direction, _ fate: Fate) {
        change {
            $0.fates[direction.rawValue] = fate
            $0.passed[direction.rawValue] = 0
        }
    }

    /// As if it were not there.
    package func pass() {
        change {
            ($0.fates, $0.passed, $0.delays, $0.isRefusing) = ([.pass, .pass], [0, 0], [.zero, .zero], false)
        }
    }

    /// Each piece arrives so much later.
    package func delay(_ duration: Duration) { for direction in Direction.allCases { delay(duration, direction) } }

    package func delay(_ duration: Duration, _ direction: Direction) { change { $0.delays[direction.rawValue] = duration } }

    /// Resets all connections there are.
    package func cut() { change { $0.cuts += 1 } }

    /// Resets connections at their beginning.
    package func refuse() { change { $0.isRefusing = true } }

    /// How many bytes have gone into it since it began.
    package func count(_ direction: Direction) -> Int { orders.withLock { $0.totals[direction.rawValue] } }

    /// How many connections there have been.
    package var connections: Int { orders.withLock { $0.connections } }

    private func change(_ body: (inout sending Orders) -> Void) {
        orders.withLock { body(&$0) }
        var byte = UInt8(1)
        write(waker[1], &byte, 1)
    }

    private static func listen() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, 64) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw NobodyListens(description: "no port for a proxy: \(errno)") }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}
