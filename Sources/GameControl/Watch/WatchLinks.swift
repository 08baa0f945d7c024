// The subscriptions of a watch at all nodes of a cluster, which come and go; without a cluster, at the one daemon.

import Client
import Glibc
import RESP
import Texts
import Timers

final class WatchLinks {
    /// How often it is looked whether nodes have come or gone.
    private static let round = Duration.seconds(1)

    private let daemon: DaemonClient
    private let subscribe: (DaemonClient) throws(ControlError) -> Void
    private let isCluster: Bool
    private let clock = ContinuousClock()
    private var links: [(node: DaemonClient, link: WatchLink)] = []
    private var nextRound: ContinuousClock.Instant

    /// Connects, and throws if there is no daemon.
    init(_ daemon: DaemonClient, subscribe: @escaping (DaemonClient) throws(ControlError) -> Void) throws(ControlError) {
        (self.daemon, self.subscribe) = (daemon, subscribe)
        isCluster = try daemon.connect().isOfCluster
        nextRound = clock.now + Self.round
        for node in try daemon.nodes() { try add(node) }
    }

    private func add(_ node: DaemonClient) throws(ControlError) {
        links.append((node, try WatchLink(node, subscribe: subscribe)))
    }

    /// Waits for a daemon. Returns false if `output` has lost its reader.
    func wait(output: Int32) -> Bool {
        let limit = isCluster ? max(.zero, clock.now.duration(to: nextRound)) : nil
        return WatchLink.wait(for: links.map(\.link), atMost: limit, output: output)
    }

    /// The events since the last call, each with its daemon.
    func events() throws(ControlError) -> [(node: DaemonClient, event: WatchLink.Event)] {
        var events: [(DaemonClient, WatchLink.Event)] = []
        for (node, link) in links {
            for event in try link.events() { events.append((node, event)) }
        }
        if isCluster, clock.now >= nextRound { try updateNodes() }
        return events
    }

    /// Asks any node that is there which others are.
    private func updateNodes() throws(ControlError) {
        nextRound = clock.now + Self.round
        for (_, link) in links where link.awaySince == nil {
            guard let status = try link.ask(all: [["CLUSTER", "STATUS"]]).first else { continue }
            let nodes = try daemon.nodes(in: status, omittingUnreachable: true)
            links.removeAll { known in !nodes.contains { $0 === known.node } && known.link.awaySince != nil }
            for node in nodes where !links.contains(where: { $0.node === node }) {
                // A node that cannot be reached, or is not ready, is tried again in the next round.
                do throws(ControlError) { try add(node) } catch {
                    guard error.maySubside else { throw error }
                    node.disconnect()
                }
            }
            return
        }
    }
}

// MARK: - Watching for programs and files: a line for everything that happens

struct WatchLines {
    private let output: Output
    private let links: WatchLinks
    private let pattern: String

    init(_ daemon: DaemonClient, _ output: Output, pattern: String) throws(ControlError) {
        self.output = output
        self.pattern = pattern
        links = try WatchLinks(daemon) { daemon throws(ControlError) in
            _ = try daemon.askHere(["PSUBSCRIBE", "session:" + pattern])
        }
    }

    /// Runs until a signal ends it, or its output has lost its reader.
    func run() throws(ControlError) {
        if !output.isJSON {
            let sessions = pattern == "*" ? "all sessions" : "sessions that match '\(pattern.shortened)'"
            output.remark("waiting for events of \(sessions)")
        }
        while links.wait(output: STDOUT_FILENO) {
            for (node, event) in try links.events() { try write(event, of: node) }
        }
    }

    private func write(_ event: WatchLink.Event, of node: DaemonClient) throws(ControlError) {
        let place = "the daemon at \(node.address)"
        switch event {
        case .received(.happened(let message)): try output.writeLine(output.isJSON ? message.json.description : message.line)
        case .received(.view), .received(.viewsEnded): break
        case .lost: output.remark("\(place) has closed the connection; waiting until it is back")
        case .back(let duration):
            output.remark("\(place) is back after \(BriefDuration.text(duration)); its history has the missed entries")
        }
    }
}
