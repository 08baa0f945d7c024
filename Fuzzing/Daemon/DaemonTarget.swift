// The target `daemon`: a daemon keeps its promises under any program.

import Glibc

@c(LLVMFuzzerTestOneInput)
public func fuzzDaemon(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = Array(UnsafeRawBufferPointer(start: start, count: count))
    // A trap prints nothing itself.
    if getenv("GAMED_SHOW") != nil { print(Run.plan(input)) }
    let run = Run(input)
    if run.fault != nil { fatalError(run.report) }
    return 0
}
