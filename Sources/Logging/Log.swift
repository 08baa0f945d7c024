// The log: one line a record.

import Glibc
import Posix
import Texts
import Timers

/// Writes lines to standard error, without ever waiting for a slow reader: lines that do not fit are dropped and counted.
package final class Log {
    /// A line's severity, in syslog's numbers.
    package enum Level: Int, Sendable, CaseIterable {
        case error = 3
        case warning, notice, info, debug

        package var name: String { "\(self)" }

        package init(reading name: String) throws(UsageError) {
            guard let level = Self.allCases.first(where: { $0.name == name.lowercased() }) else {
                throw UsageError("the log's level is one of \(Self.names), and not '\(name.shortened)'")
            }
            self = level
        }

        package static let names = allCases.map(\.name).joined(separator: ", ")
    }

    /// Lines that clients can provoke at will. Each kind has a budget of its own.
    package enum Provocation: Int, CaseIterable {
        case refusedConnection, cutOff, wrongToken, descriptors, startup, denied
    }

    /// Takes a line at once, whole or not at all.
    package typealias Sink = ([UInt8]) -> Bool

    package var level: Level
    let style: LogLine.Style
    /// Where lines go. A console on the same terminal puts itself in between.
    package var sink: Sink
    package private(set) var lost = 0
    private var lostSinceLast = 0
    private var budgets = Provocation.allCases.map { _ in LogBudget() }
    private let clock: any TimeSource

    init(level: Level, style: LogLine.Style, clock: any TimeSource = SystemClock(), sink: @escaping Sink) {
        self.level = level
        self.style = style
        self.clock = clock
        self.sink = sink
    }

    /// A log that drops everything.
    package static var silent: Log { Log(level: .error, style: .dated) { _ in true } }

    /// A process's log on standard error, in systemd's form if systemd reads it.
    package static func standardError(level: Level) -> Log {
        let output = NonblockingOutput(descriptor: STDERR_FILENO)
        return Log(level: level, style: .current) { output.write(whole: $0) }
    }

    /// Prints why a program cannot start, without dates; for systemd's journal each line has its level. A failure to print is ignored:
    /// the exit status remains.
    package func complain(_ lines: [String]) {
        for line in lines.map({ $0.printable.cut(to: LogLine.longest) }) {
            try? StandardStream.error.say(style == .journal ? "<\(Level.error.rawValue)>\(line)" : line)
        }
    }

    package func error(_ text: @autoclosure () -> String) { write(.error, text) }
    package func warning(_ text: @autoclosure () -> String) { write(.warning, text) }
    package func notice(_ text: @autoclosure () -> String) { write(.notice, text) }
    package func info(_ text: @autoclosure () -> String) { write(.info, text) }
    package func debug(_ text: @autoclosure () -> String) { write(.debug, text) }

    /// Writes a line that a client has provoked, within its budget.
    package func write(_ level: Level, provokedBy what: Provocation, _ text: @autoclosure () -> String) {
        guard level.rawValue <= self.level.rawValue, let unsaid = budgets[what.rawValue].spend(at: clock.now) else { return }
        write(level) { unsaid == 0 ? text() : "\(text()) (and \(unsaid) more of this kind before)" }
    }

    private func write(_ level: Level, _ text: () -> String) {
        guard level.rawValue <= self.level.rawValue else { return }
        if lostSinceLast > 0, sink(LogLine.bytes(.warning, "\(lostSinceLast) lines were lost here", style)) {
            lostSinceLast = 0
        }
        if sink(LogLine.bytes(level, text(), style)) { return }
        lost += 1
        lostSinceLast += 1
    }
}
