// cluster-sim NODES SHARDS SECONDS [SEED] [TIMES]: simulates a cluster, and says what it has seen. A part of `make soak`.

import ClusterSimulation
import Glibc
import Seeds

let numbers = CommandLine.arguments.dropFirst().compactMap(Int.init)
guard numbers.count >= 3 else {
    print("usage: cluster-sim NODES SHARDS SECONDS [SEED] [TIMES]")
    exit(64)
}
let size = WorldSize(nodes: numbers[0], shards: numbers[1], seconds: numbers[2])
let first = numbers.count > 3 ? UInt64(numbers[3]) : UInt64.random(in: 1..<1_000_000)
let clock = ContinuousClock()
for seed in first..<first + UInt64(numbers.count > 4 ? numbers[4] : 1) {
    let world = World(size, random: SeededGenerator(seed: seed))
    let took = clock.measure {
        do {
            try world.runRounds()
        } catch {
            print("seed \(seed): \(error)")
            exit(1)
        }
    }
    print("seed \(seed): \(world.summary), in \(took)")
}
