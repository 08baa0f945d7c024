// The target `daemon`: whatever a program does to a daemon, what it has promised holds.

import JournalStore

@c(LLVMFuzzerTestOneInput)
public func fuzzDaemon(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let run = Run(UnsafeRawBufferPointer(start: start, count: count))
    if let fault = run.fault { fatalError("\(fault)\n\(run.program)") }
    return 0
}
