// The thread of a proxy, which forwards bytes as the test orders.

import Glibc

/// Accepts a proxy's connections and relays their bytes.
final class ProxyRelay {
    /// A weak reference to the proxy, whose thread ends with it.
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
        static let maxCount = 1 << 20
    }

    struct Pair {
        /// The descriptors of the client's and the server's side.
        let ends: [Int32]
        var lanes = [Lane(), Lane()]
        var isDead = false
    }

    private let (listener, server, woken): (Int32, Int, Int32)
    private let source: Source
    private var pairs: [Pair] = []
    private var cuts = 0
    /// Whether a direction has reached its limit. All connections are reset once none of them is being read.
    private var isCut = false

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
                let events = events(of: pair, direction, orders)
                // `poll` would report a hangup of an unwatched end again and again.
                watched.append(pollfd(fd: events == 0 ? -1 : end, events: events, revents: 0))
            }
        }
        guard poll(&watched, nfds_t(watched.count), milliseconds()) > 0 else { return }
        if watched[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 64)
            // The proxy's `deinit` closes the other end.
            if read(woken, &bytes, bytes.count) == 0 { return }
        }
        let ready = Int16(POLLIN | POLLHUP | POLLERR)
        for place in pairs.indices {
            for direction in Proxy.Direction.allCases where watched[2 + 2 * place + direction.rawValue].revents & ready != 0 {
                take(place, direction)
            }
        }
        if isCut {
            forward()
            resetAll()
        }
        if watched[1].revents != 0 { accept() }
        remove()
    }

    /// An end is read for one direction and written for the other.
    private func events(of pair: Pair, _ direction: Proxy.Direction, _ orders: Proxy.Orders) -> Int16 {
        let (own, other) = (pair.lanes[direction.rawValue], pair.lanes[1 - direction.rawValue])
        let canRead = !own.hasEnded && own.waiting < Lane.maxCount && !isHeld(direction, orders)
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

    /// The time until the next bytes are due; -1 without any.
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
        guard !isCut, !pairs[place].isDead else { return }
        let room = source.use { orders -> Int in
            switch orders.fates[direction.rawValue] {
            case .hold(let limit), .cut(let limit): max(0, limit - orders.passed[direction.rawValue])
            case .pass, .swallow: 1 << 16
            }
        }
        guard let room else { return }
        guard room > 0 else { return isCut = isCutting(direction) }
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
            case .pass, .hold: return (bytes.count, orders.delays[index], false)
            case .swallow(let limit): return (min(bytes.count, max(0, limit - before)), orders.delays[index], false)
            case .cut(let limit): return (bytes.count, orders.delays[index], before + bytes.count >= limit)
            }
        }
        guard let fate else { return }
        if fate.passing > 0 {
            pairs[place].lanes[index].queue.append((.now + fate.delay, Array(bytes[..<fate.passing])))
            pairs[place].lanes[index].waiting += fate.passing
        }
        isCut = fate.isCut
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
        (pairs, isCut) = ([], false)
    }

    /// Closes the connection with a reset, which discards data in transit.
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
