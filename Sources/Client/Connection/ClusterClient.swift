// A client of a cluster: it follows a session to its node, and asks all of them.

import Posix
import RESP
import Texts

extension DaemonClient {
    /// Sessions may move while they are followed.
    private static let maxMoves = 8

    /// Does it with this daemon, or with the node that it says has the session.
    func following(
        _ body: (DaemonClient) throws(ControlError) -> Reply
    ) throws(ControlError) -> Reply {
        var client = self
        for _ in 0..<Self.maxMoves {
            do throws(ControlError) {
                return try body(client)
            } catch .refused(.moved, let sentence) {
                client = try owner(in: sentence)
            }
        }
        return try body(client)
    }

    /// Replies in the order of the requests, each of the node that has the session. An error is a reply, too.
    package func ask(all requests: [[String]]) throws(ControlError) -> [Reply] {
        var replies = try connect().ask(all: requests)
        for _ in 0..<Self.maxMoves {
            var moved: [String: [Int]] = [:]
            for (index, reply) in replies.enumerated() {
                if case .error(.moved, let sentence) = reply { moved[sentence.addressBehindSlot, default: []].append(index) }
            }
            if moved.isEmpty { break }
            for (address, places) in moved {
                let answers = try other(at: address).connect().ask(all: places.map { requests[$0] })
                for (place, answer) in zip(places, answers) { replies[place] = answer }
            }
        }
        return replies
    }

    /// The nodes of its cluster, itself among them; only itself without a cluster.
    package func nodes() throws(ControlError) -> [DaemonClient] {
        guard try connect().isOfCluster else { return [self] }
        let status = try askHere(["CLUSTER", "STATUS"])
        ownAddress = status["address"]?.text
        return try nodes(in: status)
    }

    /// The same, from the reply of any of them to CLUSTER STATUS.
    package func nodes(in status: Reply) throws(ControlError) -> [DaemonClient] {
        guard case .array(let nodes) = status["nodes"] else { return [self] }
        var clients: [DaemonClient] = []
        for node in nodes {
            guard let address = node["address"]?.text, node["state"]?.text != "outside" else { continue }
            clients.append(address == ownAddress ? self : try other(at: address))
        }
        return clients.isEmpty ? [self] : clients
    }

    private func owner(in sentence: String) throws(ControlError) -> DaemonClient { try other(at: sentence.addressBehindSlot) }

    /// The node at this address, as the cluster says it: an IPv6 address has no brackets there.
    private func other(at text: String) throws(ControlError) -> DaemonClient {
        if let known = others[text] { return known }
        guard let colon = text.lastIndex(of: ":") else {
            throw .noDaemon("the daemon at \(address) says that the session is at '\(text.shortened)', which is no address")
        }
        let host = text[..<colon]
        let place = host.contains(":") ? "[\(host)]\(text[colon...])" : text
        let client = DaemonClient(at: try ServerAddress(hostAndPort: place), token: token, tls: tls, program: program)
        client.patience = patience
        client.referrer = address
        others[text] = client
        return client
    }
}

extension String {
    /// Of `7638 127.0.0.1:7001`.
    fileprivate var addressBehindSlot: String { String(drop { $0 != " " }.dropFirst()) }
}
