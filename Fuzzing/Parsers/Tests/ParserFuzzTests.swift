// Each parser in a process of its own, with random inputs, which are the same each time unless GAMED_SEED is set. `make fuzz` does the same for longer,
// guided by coverage, and with the compiler's checks of memory.

import Foundation
import Glibc
import Seeds
import TestSupport
import Testing

@Suite struct `A parser under mutated inputs` {
    @Test(arguments: ParserTarget.allCases)
    func `A parser keeps its promises with each of 5000 mutations of its corpus`(target: ParserTarget) async {
        let result = await #expect(processExitsWith: .success) { [target = target as ParserTarget] in
            try Trial(target).run()
        }
        if result == nil { Issue.record("\(Trial(target).fault)") }
    }
}

/// So many inputs for one parser.
private struct Trial {
    private static let inputs = 5_000
    /// No input may take much memory because it announces it.
    private static let memory: rlim_t = 64 << 20

    let target: ParserTarget
    /// The standard error of the process, which the test library discards.
    private let log: String

    init(_ target: ParserTarget) {
        self.target = target
        log = ".build/fuzz-\(target).log"
    }

    var fault: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "the process printed nothing" }

    func run() throws {
        dup2(open(log, O_WRONLY | O_CREAT | O_TRUNC, 0o644), STDERR_FILENO)
        var inputs = MutatedInputs(corpus: try corpus(), random: .announced("parsing \(target)", seed: 1))
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
        // A sanitizer has mapped terabytes, and keeps what is freed.
        guard kilobytes < 1 << 30 else { return }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        limit.rlim_cur = kilobytes << 10 + Self.memory
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0)
    }
}
