// Each parser in a process of its own, with random inputs, which are the same each time unless GAMED_SEED is set. `make fuzz` does the same for longer,
// guided by coverage, and with the compiler's checks of memory.

import Foundation
import Glibc
import Seeds
import TestSupport
import Testing

@Suite struct `A parser under mutated inputs` {
    @Test func `The reader of requests reads any bytes the same however they are cut`() async {
        await #expect(processExitsWith: .success) { try Trial(.requests).run() }
    }

    @Test func `The reader of replies reads any bytes the same however they are cut, within its limits`() async {
        await #expect(processExitsWith: .success) { try Trial(.replies).run() }
    }

    @Test func `The reader of captures reads any bytes the same however they are cut, and sees only possible devices`() async {
        await #expect(processExitsWith: .success) { try Trial(.captures).run() }
    }

    @Test func `The scanner, the tree and the fields of any JSON agree`() async {
        await #expect(processExitsWith: .success) { try Trial(.json).run() }
    }

    @Test func `An expression has the same value twice, or an error with a place`() async {
        await #expect(processExitsWith: .success) { try Trial(.expressions).run() }
    }

    @Test func `A flow file becomes a chart with parts that fit together, or errors with places`() async {
        await #expect(processExitsWith: .success) { try Trial(.charts).run() }
    }
}

/// So many inputs for one parser.
private struct Trial {
    private static let inputs = 5_000
    /// No input may take much memory because it announces it.
    private static let memory: rlim_t = 64 << 20

    let target: ParserTarget

    init(_ target: ParserTarget) { self.target = target }

    func run() throws {
        var inputs = MutatedInputs(corpus: try corpus(), random: .announced("the parser of \(target)", seed: 1))
        try limitMemory()
        TrapReporter.start(target: "\(target)")
        for _ in 0..<Self.inputs {
            let input = inputs.input()
            TrapReporter.setInput(input)
            target.check(input)
        }
        TrapReporter.setInput([])
    }

    private func corpus() throws -> [[UInt8]] {
        let folder = "Fuzzing/Corpus/\(target)"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        try #require(!names.isEmpty)
        return try names.map { Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)"))) }
    }

    /// Lets the process have only a little more memory than it has now.
    private func limitMemory() throws {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmData:") })
        let kilobytes = try #require(rlim_t(line.filter(\.isNumber)))
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        limit.rlim_cur = kilobytes << 10 + Self.memory
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0)
    }
}
