// For all tests: random numbers that can be had again. Every model test prints its seed, and GAMED_SEED sets it.

import Foundation

public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    /// SplitMix64.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The seed of a test: the one given, unless GAMED_SEED says another.
    public static func announced(_ test: String, seed: UInt64) -> SeededGenerator {
        let chosen = ProcessInfo.processInfo.environment["GAMED_SEED"].flatMap(UInt64.init) ?? seed
        print("\(test): GAMED_SEED=\(chosen)")
        return SeededGenerator(seed: chosen)
    }
}
