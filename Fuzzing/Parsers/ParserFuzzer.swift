// The entry point of the parsers' fuzzer; GAMED_FUZZ names the target.

import Glibc

private let target: ParserTarget = {
    let name = getenv("GAMED_FUZZ").map { String(cString: $0) } ?? ""
    guard let target = ParserTarget(rawValue: name) else {
        fatalError("GAMED_FUZZ is '\(name)', and not one of \(ParserTarget.allCases.map(\.rawValue))")
    }
    return target
}()

@c(LLVMFuzzerTestOneInput)
public func fuzzParser(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    target.check(Array(UnsafeRawBufferPointer(start: start, count: count)))
    return 0
}
