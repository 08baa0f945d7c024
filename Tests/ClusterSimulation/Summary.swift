// The statistics of a simulated world, in one line.

extension World {
    package var summary: String {
        "\(size.nodes) nodes, \(size.shards) shards, \(size.seconds) s: \(eventCount) events, \(registry.moveCount) moves, \(commitCount) commits"
    }
}
