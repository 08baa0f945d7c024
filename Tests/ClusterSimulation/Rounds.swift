// Rounds of failures: some seconds with several failures at once, then a quiet time in which the cluster must recover.

import Cluster
import Timers

extension World {
    /// After the last failure of a round: within two leases all is owned. Once nodes that died have been up for long enough, shares become
    /// even, and then nothing moves.
    private static let owned: Int64 = 6 * .second
    /// How long a shard may be in transfer from one owner to the next, for even shares.
    private static let moving: Int64 = 300 * .millisecond
    static let fair: Int64 = 10 * .second
    private static let still: Int64 = 13 * .second

    /// Runs rounds for the seconds of the world's size.
    package func runRounds(report: (String) -> Void = { _ in }) throws {
        for index in nodes.indices { start(index) }
        try quieten()
        while now < Int64(size.seconds) * .second {
            let moves = registry.moveCount
            let began = now
            try fail(for: milliseconds(2_000...10_000))
            try quieten()
            report("\(began / .second) s: \(nodes.count(where: \.isUp)) nodes, \(registry.moveCount - moves) moves")
        }
    }

    /// Causes failures, which end after this time.
    private func fail(for length: Int64) throws {
        let end = now + length
        calmAt = end
        let mostAtOnce = Int.random(in: 1...max(2, size.nodes / 8), using: &random)
        while now < end {
            for _ in 0..<Int.random(in: 1...mostAtOnce, using: &random) { goWrong(until: end) }
            try runWatching(until: min(end, now + milliseconds(50...2_000)))
        }
        reviveSome()
    }

    private func goWrong(until end: Int64) {
        let index = Int.random(in: nodes.indices, using: &random)
        let length = min(end - now, milliseconds(100...8_000))
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25: kill(index)
        case 25..<45: begin(index)
        case 45..<60: freeze(index, for: length)
        case 60..<75: trouble(index, for: length)
        case 75..<90: stop(index)
        case 90..<94: awayUntil = max(awayUntil, now + length); for node in nodes { node.hasBeenTroubled = true }
        case 94..<96: for index in nodes.indices { trouble(index, for: length) }
        case 96..<97: for index in nodes.indices { kill(index) }
        default: learn(index)
        }
    }

    func trouble(_ index: Int, for length: Int64) {
        nodes[index].troubledUntil = max(nodes[index].troubledUntil, now + length)
        nodes[index].hasBeenTroubled = true
    }

    /// Starts a node. Some nodes lack a flow, and so cannot own some of the shards.
    func begin(_ index: Int) {
        guard chance(0.1) else { return start(index) }
        let stride = Int.random(in: 1...20, using: &random)
        start(index, lacks: Set(Swift.stride(from: 0, to: size.shards, by: stride)), saysSo: chance(0.5))
    }

    /// A node reloads its flows, and then lacks none.
    func learn(_ index: Int) {
        let node = nodes[index]
        guard node.isUp, !node.isFrozen(now) else { return }
        node.lacks = []
        plan(.tell(node: index, process: node.process, .declines([:])), after: 0)
    }

    /// Starts the first node, and about half of the others.
    private func reviveSome() {
        for index in nodes.indices where chance(0.5) || index == 0 {
            start(index)
            learn(index)
        }
    }

    private func quieten() throws {
        let end = now
        try runWatching(until: end + Self.owned)
        try checkService()
        let proven = max(end, nodes.filter(\.isUp).map { $0.clock.time(of: $0.member.provenAt.nanoseconds) }.max() ?? end)
        try runWatching(until: proven + Self.fair)
        checkFair()
        let moves = registry.moveCount
        try runWatching(until: proven + Self.still)
        if registry.moveCount != moves { fail("\(registry.moveCount - moves) shards move, although nothing happens") }
        try checkService()
    }

    /// Expects that all shards are served, except those in transfer.
    private func checkService() throws {
        let unserved = unserved()
        try runWatching(until: now + Self.moving)
        checkNone(unserved.intersection(self.unserved()))
        if let violation { throw violation }
    }

    /// Checks all nodes once a second. Other checks run at each change.
    private func runWatching(until end: Int64) throws {
        while now < end {
            try run(until: min(end, now + .second))
            for node in nodes { checkServing(node) }
            if let violation { throw violation }
        }
    }
}
