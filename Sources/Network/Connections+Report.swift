// All open connections, as commands and metrics show them.

import Commands

extension Connections: ClientList {
    package var everybody: [Client] { all.map(\.client) }

    package var figures: ClientStatistics {
        var figures = ClientStatistics()
        figures.tcp = count { $0.transport == .tcp }
        figures.unix = count - figures.tcp
        figures.acceptedTcp = counts.acceptedTcp
        figures.acceptedUnix = counts.accepted - counts.acceptedTcp
        (figures.refused, figures.cutOff, figures.bytes) = (counts.refused, counts.cutOff, bytes)
        return figures
    }

    package var report: [(String, String)] {
        let overTcp = count { $0.transport == .tcp }
        return [
            ("connected_clients", "\(count)"), ("unix_clients", "\(count - overTcp)"), ("tcp_clients", "\(overTcp)"),
            ("tls_clients", "\(count { $0.secure != nil })"), ("failed_tls_handshakes", "\(counts.failedHandshakes)"),
            ("strangers", "\(strangerCount)"), ("subscribed_clients", "\(count { $0.client.isSubscribed })"),
            ("total_connections_received", "\(counts.accepted)"), ("rejected_connections", "\(counts.refused)"),
            ("cut_off_clients", "\(counts.cutOff)"), ("cut_off_for_memory", "\(counts.cutOffForMemory)"),
        ]
    }
}
