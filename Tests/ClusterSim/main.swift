// cluster-sim NODES SHARDS SECONDS [SEED] [TIMES]: simulates a cluster, and says what it has seen. A part of `make soak`.
// With 0 SECONDS, the registry goes back in time ten times.

import ClusterSimulation
import Glibc
import Seeds

let numbers = CommandLine.arguments.dropFirst().compactMap(Int.init)
guard numbers.count >= 3 else {
    print("usage: cluster-sim NODES SHARDS SECONDS [SEED, or 0 for any] [TIMES, each with the next seed]")
    exit(64)
}
let size = WorldSize(nodes: numbers[0], shards: numbers[1], seconds: numbers[2])
let first = numbers.count > 3 && numbers[3] > 0 ? UInt64(numbers[3]) : UInt64.random(in: 1..<1_000_000)
let last = first + UInt64(numbers.count > 4 ? max(numbers[4], 1) - 1 : 0)
let took = ContinuousClock().measure {
    for seed in first...last {
        let world = World(size, random: SeededGenerator(seed: seed))
        do {
            if size.seconds > 0 { try world.runRounds() } else { try world.runRewinds(10) }
        } catch {
            print("seed \(seed): \(error)")
            exit(1)
        }
        if first == last { print("seed \(seed): \(world.summary)") }
    }
}
print(first == last ? "in \(took)" : "seeds \(first) to \(last): nothing found, in \(took)")
