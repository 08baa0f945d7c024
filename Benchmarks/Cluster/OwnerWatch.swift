// For how long sessions have no owner: asks all nodes for them again and again, with events that must be kept.

import Foundation
import Glibc

final class OwnerWatch {
    private let nodes: [ClusterPeer]
    private let names: [String]
    private let requests: [[UInt8]]
    private var clients: [PipelinedClient?]
    private var answered: [ContinuousClock.Instant]
    /// For each name, the longest time between two answers.
    private(set) var gaps: [Double]
    /// How long asking once took.
    private(set) var rounds: [Double] = []

    init(_ nodes: [ClusterPeer], _ names: [String]) {
        (self.nodes, self.names) = (nodes, names)
        requests = names.map { PipelinedClient.request(["SEND", $0, "pass"]) }
        clients = nodes.map { _ in nil }
        answered = names.map { _ in .now }
        gaps = names.map { _ in 0 }
    }

    /// Asks for this time, and then until all names have got a reply since.
    func ask(for seconds: Double, nodes which: [Int]? = nil) throws {
        let least = ContinuousClock.now + .seconds(seconds)
        let most = least + .seconds(60)
        while ContinuousClock.now < least || answered.contains(where: { $0 < least }) {
            guard ContinuousClock.now < most else { throw BenchmarkError("some sessions have no owner for a minute") }
            askOnce(which ?? Array(nodes.indices))
        }
    }

    private func askOnce(_ which: [Int]) {
        let began = ContinuousClock.now
        for node in which {
            clients[node] = clients[node] ?? PipelinedClient(nodes[node].peer.socketPath)
            clients[node]?.begin(requests)
        }
        for node in which {
            guard let client = clients[node] else { continue }
            let answers = client.takeLines(requests.count)
            if answers.count < requests.count { clients[node] = nil }
            recordAnswers(answers)
        }
        rounds.append((ContinuousClock.now - began).seconds)
        usleep(500)
    }

    private func recordAnswers(_ answers: [String]) {
        let now = ContinuousClock.now
        for (place, answer) in answers.enumerated() where !answer.hasPrefix("-") {
            gaps[place] = max(gaps[place], (now - answered[place]).seconds)
            answered[place] = now
        }
    }
}
