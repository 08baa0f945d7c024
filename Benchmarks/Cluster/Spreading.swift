// Which node has which names: found by asking, as clients do.

import Glibc

extension [ClusterPeer] {
    /// Asks for each name where it belongs, and says which names each node has.
    func spread(_ names: [String], _ request: (String) -> [String]) throws -> [[String]] {
        let clients = try map { try $0.connected() }
        var placed = Array<[String]>(repeating: [], count: count)
        var waiting = [names] + Array<[String]>(repeating: [], count: count - 1)
        let end = ContinuousClock.now + .seconds(60)
        while waiting.contains(where: { !$0.isEmpty }) {
            guard ContinuousClock.now < end else { throw BenchmarkError("some names are nobody's after a minute") }
            for node in indices {
                let asked = waiting[node]
                waiting[node] = []
                let answers = clients[node].lines(asked.map { PipelinedClient.request(request($0)) })
                for (name, answer) in zip(asked, answers) {
                    if !answer.hasPrefix("-") {
                        placed[node].append(name)
                    } else {
                        waiting[try next(answer, after: node)].append(name)
                    }
                }
            }
            usleep(1_000)
        }
        return placed
    }

    /// The node to ask after this answer of a node.
    private func next(_ answer: String, after node: Int) throws -> Int {
        if answer.hasPrefix("-TRYAGAIN") || answer.hasPrefix("-CLUSTERDOWN") { return node }
        guard answer.hasPrefix("-MOVED"), let port = answer.split(separator: ":").last,
            let next = firstIndex(where: { "\($0.port)" == port })
        else { throw BenchmarkError("a node says \(answer)") }
        return next
    }
}

extension ClusterPeer {
    func connected() throws -> PipelinedClient {
        guard let client = PipelinedClient(peer.socketPath) else { throw BenchmarkError("\(peer.name) does not answer") }
        return client
    }
}
