// The daemon's figures as Prometheus reads them. All of them are kept as things happen: no answer walks over sessions.

import Commands

/// Has figures beside the daemon's own, such as a server of pages.
package protocol MetricsSource: AnyObject {
    func write(to writer: inout MetricsWriter)
}

/// Answers GET /metrics. Made once for a daemon.
package final class MetricsText {
    private unowned let host: Host
    private let flows = FlowReports()
    /// Writes its metrics after the daemon's own. It owns this object, so it lives longer.
    package unowned var source: (any MetricsSource)?
    /// The next answer is about as long as the last.
    private var length = 1 << 14

    package init(of host: Host) {
        self.host = host
    }

    /// All figures, as of now.
    package func gather() -> [UInt8] {
        var writer = MetricsWriter(capacity: length + length / 8)
        writer.addProcess(host)
        writer.addSessions(host)
        writer.addFlows(flows.reports(of: host.sessions))
        writer.addTime(host)
        writer.addJournal(host)
        writer.addCluster(host)
        writer.addClients(host)
        source?.write(to: &writer)
        length = writer.bytes.count
        return writer.bytes
    }
}
