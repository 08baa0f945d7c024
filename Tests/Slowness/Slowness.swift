// How much slower this build is than an optimized one.

import Glibc

/// A bound that holds for optimized programs is multiplied by this in builds without an optimizer or with a sanitizer. The factor is
/// measured with fixed work and CPU time, so neither a busy machine nor a slow processor changes it.
package enum Slowness {
    /// At least 1. Takes some 50 ms without an optimizer.
    package static func measure() -> Double { max(1, ratio() / optimizedRatio) }

    /// `FixedWork` compared with `doReferenceWork`.
    package static func ratio() -> Double {
        let work = median(of: { keep(FixedWork.run()) })
        let unit = median(of: doReferenceWork)
        return Double(work) / Double(max(1, unit))
    }

    /// `ratio()` where both are optimized. `make soak` checks it.
    package static let optimizedRatio = 1.2

    private static func median(of work: () -> Void) -> Int { (0..<5).map { _ in ThreadTime.taken(by: work) }.sorted()[2] }

    /// Work of the C library, which is optimized in every build: a name that fits no pattern, found out in many steps.
    private static func doReferenceWork() {
        keep(Int(fnmatch("*a*a*a*b", String(repeating: "a", count: 30_000), 0)))
    }

    /// The optimizer drops what has no effect.
    @inline(never) @_optimize(none)
    private static func keep(_: Int) {}
}
