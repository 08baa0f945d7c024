// The next timers of all nodes of a cluster, as one list.

import Client
import RESP

extension DaemonClient {
    /// The reply to NEXT, of all nodes together, and the reason why it may lack some; nil if it is complete.
    func askNext(_ words: [String]) throws(ControlError) -> (reply: Reply, gap: String?) {
        guard let status = try clusterStatus() else { return (try ask(words), nil) }
        return (try askNext(words, at: try nodes(in: status)), ClusterText.gap(in: status))
    }

    private func askNext(_ words: [String], at nodes: [DaemonClient]) throws(ControlError) -> Reply {
        guard nodes.count > 1 else { return try ask(words) }
        var firings: [Reply] = []
        for node in nodes { firings += try node.askHere(words).elements }
        let sorted = firings.enumerated().sorted { left, right in
            let (first, second) = (Self.remaining(left.element), Self.remaining(right.element))
            return first == second ? left.offset < right.offset : first < second
        }
        return .array(Array(sorted.map(\.element).prefix(Self.count(in: words))))
    }

    /// NEXT's default count.
    private static let usualCount = 10

    private static func count(in words: [String]) -> Int { words.count > 2 ? Int(words[2]) ?? usualCount : usualCount }

    private static func remaining(_ firing: Reply) -> Int { firing["remaining_ms"]?.integer ?? .max }
}
