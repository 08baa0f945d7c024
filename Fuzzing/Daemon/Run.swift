// One program, from its bytes to the fault; and the shortest program with the same fault.

import GameDaemon
import Store

struct Run {
    let program: Program
    let durability: Durability
    let size: ChartSize
    let fault: String?

    init(_ bytes: [UInt8]) {
        self.init(Program(reading: bytes.dropFirst()), Self.durability(bytes), Self.size(bytes))
    }

    init(_ program: Program, _ durability: Durability, _ size: ChartSize) {
        (self.program, self.durability, self.size) = (program, durability, size)
        do {
            try World(durability, size).run(program)
            fault = nil
        } catch {
            fault = "\(error)"
        }
    }

    /// `everysec` is rarer, since each step then needs more checks: a crash may lose changes.
    private static func durability(_ bytes: [UInt8]) -> Durability { (bytes.first ?? 0) % 8 == 7 ? .everysec : .always }

    private static func size(_ bytes: [UInt8]) -> ChartSize { ChartSize.chosen(by: (bytes.first ?? 0) / 8) }

    /// Returns the run without steps that do not matter, as far as `tries` runs find them.
    func shrunk(tries: Int = 400) -> Run {
        var (best, tries) = (self, tries)
        var length = max(1, best.program.steps.count / 2)
        while length > 0 {
            var start = 0
            while start < best.program.steps.count, tries > 0 {
                var steps = best.program.steps
                steps.removeSubrange(start..<min(start + length, steps.count))
                let next = Run(Program(steps: steps), durability, size)
                tries -= 1
                if next.fault == nil { start += length } else { best = next }
            }
            length /= 2
        }
        return best
    }

    // MARK: Report

    /// The steps, in commands that can be pasted.
    static func plan(_ bytes: [UInt8]) -> String {
        plan(Program(reading: bytes.dropFirst()), durability(bytes), size(bytes))
    }

    private static func plan(_ program: Program, _ durability: Durability, _ size: ChartSize) -> String {
        """
        gamed --time virtual --durability \(durability) --bluetooth Examples/devices.json, with the flow files of HostedCharts and \
        \(size), and then:
        \(program)
        """
    }

    var report: String { "\(fault ?? "nothing is wrong")\n\n\(Self.plan(program, durability, size))" }
}
