// The status of the daemon, as streams tell it.

import Commands
import GameFlow
import Monitoring
import RESP
import Sessions

extension StreamReader {
    var statusText: String {
        if isNode { return statusText(of: scope, isBrief: true) }
        if let scope { return statusText(of: scope) }
        return streams.statusText { statusText(of: nil) }
    }

    /// Devices may belong to any session.
    private func statusText(of scope: SessionScope?, isBrief: Bool = false) -> String {
        let firings =
            scope.map { streams.nextFirings(of: $0) } ?? host.sessions.nextFirings(Streams.shownFirings, of: nil).firings
        let next = NextReply(firings: firings, at: host.timekeeper.now)
        let members: [JSON.Member] = [
            .init("streams", .integer(streams.readerCount)), .init("next", next.json),
            .init("devices", .array(scope == nil ? host.devices.reports.map(\.webJSON) : [])),
            .init("clock_ms", .integer(Int(host.timekeeper.now.nanoseconds / 1_000_000))),
        ]
        let cluster = host.cluster.map { cluster -> [JSON.Member] in
            [.init("node", .string(cluster.name)), .init("cluster", cluster.json(isBrief: isBrief))]
        }
        // A client with some sessions has their rows. To count them here, all sessions would be looked at each second.
        let counts = scope == nil ? streams.statistics.counts : []
        return JSON.object(counts + streams.statistics.others + members + (cluster ?? [])).description
    }
}
