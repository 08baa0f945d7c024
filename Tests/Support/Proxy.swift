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
    fileprivate struct Orders {
        var fates: [Fate] = [.pass, .pass]
        /// Bytes of each direction since its fate was said.
        var passed = [0, 0]
        var totals = [0, 0]
        var delay = Duration.zero
        var cuts = 0
        var isRefusing = false
        var isOver = false
        var connections = 0
    }

    /// Where clients connect.
    package let port: Int
    fileprivate let orders = Mutex(Orders())
    private let waker: [Int32]

    /// To a port of this machine.
    package init(to server: Int) throws {
        let (listener, port) = try Self.listen()
        self.port = port
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0
        else { throw NobodyListens(description: "no pipe: \(errno)") }
        waker = ends
        let (orders, woken) = (Relay.Source(self), ends[0])
        Thread.detachNewThread { Relay(listener, server: server, woken: woken, orders).run() }
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
            ($0.fates, $0.passed, $0.delay, $0.isRefusing) = ([.pass, .pass], [0, 0], .zero, false)
        }
    }

    /// Each piece arrives so much later.
    package func delay(_ duration: Duration) { change { $0.delay = duration } }

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

/// The thread's part.
private final class Relay {
    /// The proxy, while there is one.
    final class Source: Sendable {
        nonisolated(unsafe) private weak var proxy: Proxy?
        init(_ proxy: Proxy) { self.proxy = proxy }

        func use<Result>(_ body: (inout Proxy.Orders) -> Result) -> Result? {
            guard let proxy else { return nil }
            return proxy.orders.withLock { orders in
                var own = orders
                defer { orders = own }
                return body(&own)
            }
        }
    }

    /// One direction of a connection.
    struct Lane {
        var queue: [(due: ContinuousClock.Instant, bytes: [UInt8])] = []
        var waiting = 0
        var hasEnded = false
        static let most = 1 << 20
    }

    struct Pair {
        /// The client's, and the server's.
        let ends: [Int32]
        var lanes = [Lane(), Lane()]
        var isDead = false
    }

    private let (listener, server, woken): (Int32, Int, Int32)
    private let source: Source
    private var pairs: [Pair] = []
    private var cuts = 0

    init(_ listener: Int32, server: Int, woken: Int32, _ source: Source) {
        (self.listener, self.server, self.woken, self.source) = (listener, server, woken, source)
    }

    func run() {
        while let orders = source.use({ $0 }), !orders.isOver {
            if orders.cuts != cuts {
                cuts = orders.cuts
                resetAll()
            }
            forward()
            wait(orders)
        }
        resetAll()
        close(listener)
        close(woken)
    }

    private func wait(_ orders: Proxy.Orders) {
        var watched = [
            pollfd(fd: woken, events: Int16(POLLIN), revents: 0), pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
        ]
        for pair in pairs {
            for direction in Proxy.Direction.allCases {
                let end = pair.ends[direction.rawValue]
                watched.append(pollfd(fd: end, events: events(of: pair, direction, orders), revents: 0))
            }
        }
        guard poll(&watched, nfds_t(watched.count), milliseconds()) > 0 else { return }
        if watched[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            // Its other end is closed when the proxy is gone.
            if read(woken, &bytes, bytes.count) == 0 { return }
        }
        let ready = Int16(POLLIN | POLLHUP | POLLERR)
        for place in pairs.indices {
            for direction in Proxy.Direction.allCases where watched[2 + 2 * place + direction.rawValue].revents & ready != 0 {
                take(place, direction)
            }
        }
        if watched[1].revents != 0 { accept() }
        remove()
    }

    /// An end is read for one direction, and written for the other.
    private func events(of pair: Pair, _ direction: Proxy.Direction, _ orders: Proxy.Orders) -> Int16 {
        let (own, other) = (pair.lanes[direction.rawValue], pair.lanes[1 - direction.rawValue])
        let canRead = !own.hasEnded && own.waiting < Lane.most && !isHeld(direction, orders)
        let canWrite = other.queue.first.map { $0.due <= .now } ?? false
        return Int16((canRead ? POLLIN : 0) | (canWrite ? POLLOUT : 0))
    }

    private func isHeld(_ direction: Proxy.Direction, _ orders: Proxy.Orders) -> Bool {
        if case .hold(let limit) = orders.fates[direction.rawValue] {
            orders.passed[direction.rawValue] >= limit
        } else {
            false
        }
    }

    /// Until something is due.
    private func milliseconds() -> Int32 {
        let now = ContinuousClock.now
        let dues = pairs.flatMap(\.lanes).compactMap(\.queue.first?.due).filter { $0 > now }
        return dues.min().map { Int32(max(1, (($0 - now) / .milliseconds(1)).rounded(.up))) } ?? -1
    }

    private func accept() {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        let isRefusing = source.use {
            $0.connections += 1
            return $0.isRefusing
        }
        guard isRefusing == false, let other = try? dial(port: server) else { return reset(client) }
        _ = fcntl(other, F_SETFL, O_NONBLOCK)
        for end in [client, other] {
            var one: Int32 = 1
            setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        }
        pairs.append(Pair(ends: [client, other]))
    }

    // MARK: Bytes

    private func take(_ place: Int, _ direction: Proxy.Direction) {
        guard !pairs[place].isDead else { return }
        let room = source.use { orders -> Int in
            switch orders.fates[direction.rawValue] {
            case .hold(let limit), .cut(let limit): max(0, limit - orders.passed[direction.rawValue])
            case .pass, .swallow: 1 << 16
            }
        }
        guard let room else { return }
        let isCut = room == 0 && isCutting(direction)
        if isCut { return resetAll() }
        guard room > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: min(room, 1 << 16))
        let count = recv(pairs[place].ends[direction.rawValue], &bytes, bytes.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        if count < 0 { return pairs[place].isDead = true }
        if count == 0 { return pairs[place].lanes[direction.rawValue].hasEnded = true }
        put(Array(bytes[..<count]), place, direction)
    }

    private func isCutting(_ direction: Proxy.Direction) -> Bool {
        if case .cut = source.use({ $0.fates[direction.rawValue] }) { true } else { false }
    }

    private func put(_ bytes: [UInt8], _ place: Int, _ direction: Proxy.Direction) {
        let index = direction.rawValue
        let fate = source.use { orders -> (passing: Int, delay: Duration, isCut: Bool) in
            let before = orders.passed[index]
            orders.passed[index] += bytes.count
            orders.totals[index] += bytes.count
            switch orders.fates[index] {
            case .pass, .hold: return (bytes.count, orders.delay, false)
            case .swallow(let limit): return (min(bytes.count, max(0, limit - before)), orders.delay, false)
            case .cut(let limit): return (bytes.count, orders.delay, before + bytes.count >= limit)
            }
        }
        guard let fate else { return }
        if fate.passing > 0 {
            pairs[place].lanes[index].queue.append((.now + fate.delay, Array(bytes[..<fate.passing])))
            pairs[place].lanes[index].waiting += fate.passing
        }
        if fate.isCut {
            forward()
            resetAll()
        }
    }

    /// Writes what is due.
    private func forward() {
        for place in pairs.indices where !pairs[place].isDead {
            for index in 0..<2 { forward(place, index) }
        }
        remove()
    }

    private func forward(_ place: Int, _ index: Int) {
        let end = pairs[place].ends[1 - index]
        while let first = pairs[place].lanes[index].queue.first, first.due <= .now {
            let count = send(end, first.bytes, first.bytes.count, Int32(MSG_NOSIGNAL))
            if count < 0 {
                if errno != EAGAIN { pairs[place].isDead = true }
                return
            }
            pairs[place].lanes[index].waiting -= count
            if count < first.bytes.count {
                pairs[place].lanes[index].queue[0].bytes.removeFirst(count)
            } else {
                pairs[place].lanes[index].queue.removeFirst()
            }
        }
        if pairs[place].lanes[index].hasEnded, pairs[place].lanes[index].queue.isEmpty { shutdown(end, Int32(SHUT_WR)) }
    }

    // MARK: Ends

    private func resetAll() {
        for pair in pairs where !pair.isDead { pair.ends.forEach(reset) }
        for pair in pairs where pair.isDead { for end in pair.ends { close(end) } }
        pairs = []
    }

    /// Closes it so that the other side hears of an error, and what is on its way is gone.
    private func reset(_ descriptor: Int32) {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    private func remove() {
        let isOver = { (pair: Pair) in pair.isDead || pair.lanes.allSatisfy { $0.hasEnded && $0.queue.isEmpty } }
        for pair in pairs where isOver(pair) { for end in pair.ends { close(end) } }
        pairs.removeAll(where: isOver)
    }
}
