// What the daemon tells its operator while it runs: one line a record.

import Glibc
import Posix
import Texts
import Timers

/// Writes lines to standard error, and never waits for whoever should read them: lines that are not taken are counted instead.
package final class Log {
    /// How much a line matters, in syslog's numbers.
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

    /// What clients can bring about as often as they like: each has its own bound on how many lines it may cost.
    package enum Provocation: Int, CaseIterable {
        case refusedConnection, cutOff, wrongToken, descriptors, startup
    }

    /// Takes a line whole or not at all, at once.
    package typealias Sink = ([UInt8]) -> Bool

    package var level: Level
    let style: LogLine.Style
    /// Where lines go. A console that shares its terminal with standard error puts itself in between.
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

    /// A log that keeps everything to itself.
    package static var silent: Log { Log(level: .error, style: .dated) { _ in true } }

    /// The log of a process: standard error, in the form that the journal wants if that is who reads it.
    package static func standardError(level: Level) -> Log {
        let output = NonblockingOutput(descriptor: STDERR_FILENO)
        return Log(level: level, style: .current) { output.write(whole: $0) }
    }

    /// The last words of a program that does not even start, which may take several lines: for people as they are, for the journal
    /// each with its level. Where even that cannot be said, the exit status has to do.
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

    /// A line that a client has brought about.
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
