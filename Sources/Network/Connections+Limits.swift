// What bounds connections: shares of each client, a bound of strangers, and one of the memory of all clients together.

import Commands
import Posix
import RESP

extension Connections {
    // MARK: Shares

    /// The connection's consumer; nil for an unauthenticated client.
    func consumer(of descriptor: Int32, _ transport: Transport, _ grant: Grant) -> Consumer? {
        guard grant.trust != .unauthenticated else { return nil }
        switch transport {
        case .unix: return Consumer(grant, user: userName(at: descriptor))
        case .tcp: return Consumer(grant, nil, machine: TcpAddress.machine(at: descriptor))
        }
    }

    func charge(_ connection: Connection, to consumer: Consumer?) {
        if let earlier = connection.charged { shares.remove(earlier) }
        if let consumer { shares.add(consumer) }
        connection.charged = consumer
    }

    /// Throws if the connection's client has reached its limit of connections with this token.
    func checkRoom(for token: Token, _ connection: Connection) throws(CommandError) {
        let consumer = Consumer(token.grant, token, machine: connection.machine)
        // Its own connection is in the count already, unless it is a stranger's.
        var others = shares
        if let earlier = connection.charged { others.remove(earlier) }
        try others.check(consumer, of: limits.connections, limits)
    }

    // MARK: Strangers

    func trackUnauthenticated(_ connection: Connection, _ limits: Limits) {
        strangers.add(connection, milliseconds: limits.strangerMilliseconds)
        while strangers.count > limits.strangers { _ = expelStranger(for: \.strangers) }
    }

    /// Ends the oldest connection without a token: of an address that has more than its share of them, if there is one.
    func expelStranger(for limit: KeyPath<Limits, Int>) -> Connection? {
        let waiting = strangers.inOrder
        let entries = waiting.map { connection in (Consumer(connection.client.grant, nil, machine: connection.machine), 1) }
        var displacement = Displacement(entries, of: .strangers, limits.strangers, limits)
        guard let index = displacement.pop() else { return nil }
        strangers.remove(waiting[index])
        waiting[index].evict(for: limit)
        return waiting[index]
    }

    func updateTrust(of connection: Connection) {
        strangers.remove(connection)
        charge(connection, to: connection.trust == .unauthenticated ? nil : connection.client.consumer)
        if connection.trust == .unauthenticated { trackUnauthenticated(connection, limits) }
    }

    // MARK: Memory

    /// Counts the connection's memory again.
    func count(_ connection: Connection) {
        guard connection.phase != .closed else { return }
        heldBytes &+= connection.countMemory()
        makeRoomForBytes()
    }

    /// The same where it can only have become less.
    func countLess(_ connection: Connection) {
        heldBytes &+= connection.countMemory()
    }

    func makeRoomForBytes() {
        if bytes > maxBytes { makeRoom(within: maxBytes) }
    }

    /// Releases idle buffers first. Then disconnects the clients that hold most, until the rest fits: first those with a token or address that has
    /// more than its share.
    private func makeRoom(within limit: Int) {
        warm.coolDown()
        guard bytes > limit else { return }
        let biggest = open.values.sorted { $0.counted > $1.counted }
        let entries = biggest.map { ($0.charged ?? .nobody, $0.counted) }
        var displacement = Displacement(entries, of: .clientBytes, limits.clientBytes, limits)
        while bytes > limit, let index = displacement.pop() {
            let connection = biggest[index]
            counts.cutOffForMemory += 1
            connection.cutOff(
                "all clients together hold \(bytes + httpBytes) bytes, above the limit client-bytes, "
                    + "and it holds most of them: \(connection.counted)"
            )
        }
    }
}

// MARK: - All open connections, as commands and metrics show them.

extension Connections: ClientList {
    package var ids: [Int] { open.keys.sorted() }

    package func client(id: Int) -> Client? { open[id]?.client }

    package var statistics: ClientStatistics {
        var statistics = ClientStatistics()
        statistics.tcp = count { $0.transport == .tcp }
        statistics.unix = count - statistics.tcp
        statistics.acceptedTcp = counts.acceptedTcp
        statistics.acceptedUnix = counts.accepted - counts.acceptedTcp
        statistics.certificateExpiry = certificate?.expiry
        (statistics.refused, statistics.cutOff, statistics.bytes) = (counts.refused, counts.cutOff, bytes + httpBytes)
        return statistics
    }

    package var report: [(String, String)] {
        let overTcp = count { $0.transport == .tcp }
        return [
            ("connected_clients", "\(count)"), ("unix_clients", "\(count - overTcp)"), ("tcp_clients", "\(overTcp)"),
            ("tls_clients", "\(count { $0.secure != nil })"), ("failed_tls_handshakes", "\(counts.failedHandshakes)"),
            ("tls_certificate_expires", certificate?.expiry.map { "\($0)" } ?? ""),
            ("strangers", "\(strangers.count)"), ("subscribed_clients", "\(count { $0.client.isSubscribed })"),
            ("total_connections_received", "\(counts.accepted)"), ("rejected_connections", "\(counts.refused)"),
            ("cut_off_clients", "\(counts.cutOff)"), ("cut_off_for_memory", "\(counts.cutOffForMemory)"),
        ]
    }
}

/// Notified of what connections do.
package protocol ConnectionsDelegate: AnyObject {
    /// Called at the end of the first turn in which a connection has read, written or closed since the busy turns were taken.
    func connectionsDidBecomeBusy()
    /// Called after a turn in which a connection has closed: a descriptor is free again.
    func connectionDidClose()
}
