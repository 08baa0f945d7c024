// Shared code of all parsers' targets, which checks guarantees and cuts an input into pieces.

import Slowness

/// Ends the process with the message if `isKept` is false. The fuzzer, or the test, then saves the input.
func promise(
    _ isKept: Bool, _ sentence: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
    guard !isKept else { return }
    fatalError(sentence(), file: file, line: line)
}

/// The loop's reading blocks all clients: 20 ms of CPU time at most for one input, as for a request. A build that is slower than an optimized one
/// multiplies the bound.
func bounded<Result, Failure>(_ what: String, _ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let began = ThreadTime.now
    defer {
        let time = ThreadTime.now - began
        let bound = 20_000_000
        if time > bound {
            let factor = Slowness.measure()
            promise(
                Double(time) <= Double(bound) * factor, "\(what) took \(time / 1_000) us; the bound is 20 ms times \(factor)")
        }
    }
    return try body()
}

extension [UInt8] {
    /// The same bytes, `length` at a time.
    private func pieces(of length: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: count, by: length).map { self[$0..<Swift.min($0 + length, count)] }
    }

    /// All ways in which an input is read: at once, byte by byte, and in pieces of a length that differs from input to input.
    var cuts: [[ArraySlice<UInt8>]] {
        [pieces(of: Swift.max(1, count)), pieces(of: 1), pieces(of: 2 + count % 7)]
    }

    /// Passes a copy in memory of exactly its length, so that the sanitizer detects each access beyond it.
    func withExactCopy<Result, Failure>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Result) throws(Failure) -> Result {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: self)
        return try body(UnsafeRawBufferPointer(copy))
    }
}
