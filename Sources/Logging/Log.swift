// The log: one line a record.

import Glibc
import Posix
import Systemd
import Texts
import Timers

package protocol LogDelegate: AnyObject {
    /// A line has been held back: `flushSuppressed` should be called some seconds later.
    func logDidHoldBack()
}

/// Writes lines to standard error, without ever waiting for a slow reader: lines that do not fit are dropped and counted.
package final class Log {
    /// A line's severity, in syslog's numbers.
    package enum Level: Int, Sendable, CaseIterable {
        case error = 3
        case warning, notice, info, debug

        package var name: String { "\(self)" }

        package init(reading name: String) throws(UsageError) {
            guard let level = Self.allCases.first(where: { $0.name == name.lowercased() }) else {
                throw UsageError("the log's level is one of \(Self.names), not '\(name.shortened)'")
            }
            self = level
        }

        package static let names = allCases.map(\.name).joined(separator: ", ")
        /// As an option's label lists them.
        package static let words = allCases.map(\.name).joined(separator: "|")
    }

    /// Takes a line at once, whole or not at all.
    package typealias Sink = ([UInt8]) -> Bool

    package var level: Level
    let style: LogLine.Style
    /// For dates in lines.
    package var zone: DateZone
    /// Where lines go. A console on the same terminal puts itself in between.
    package var sink: Sink
    /// Takes entries in place of lines where systemd's journal reads standard error.
    private let journal: ((JournalEntry) -> Bool)?
    private let program: String
    package weak var delegate: (any LogDelegate)?
    package private(set) var lost = 0
    private var lostSinceLast = 0
    private var budgets = Provocation.allCases.map(\.budget)
    /// The severity of each kind's line held back last.
    private var heldBack = Provocation.allCases.map { _ in Level.notice }
    private let clock: any TimeSource

    init(
        level: Level, style: LogLine.Style, zone: DateZone = .utc, program: String = "gamed",
        clock: any TimeSource = SystemClock(), journal: ((JournalEntry) -> Bool)? = nil, sink: @escaping Sink
    ) {
        self.level = level
        self.style = style
        self.zone = zone
        self.program = program
        self.clock = clock
        self.journal = journal
        self.sink = sink
    }

    /// A log that drops everything.
    package static var silent: Log { Log(level: .error, style: .dated) { _ in true } }

    /// A process's log on standard error; if systemd's journal reads that, its own socket, which takes fields as well.
    package static func standardError(level: Level, zone: DateZone = .utc, program: String = "gamed") -> Log {
        let output = NonblockingOutput(descriptor: STDERR_FILENO)
        let socket = JournalStream.socket()
        return Log(
            level: level, style: JournalStream.isStandardError() ? .journal : .dated, zone: zone, program: program,
            journal: socket.map { socket in { socket.send($0) } }
        ) { output.write(whole: $0) }
    }

    /// Prints why a program cannot start, without dates; for systemd's journal each line has its level. A failure to print is ignored:
    /// the exit status remains.
    package func complain(_ lines: [String]) {
        for line in lines.map({ $0.printable.cut(to: LogLine.maxLength) }) {
            try? StandardStream.error.writeLine(style == .journal ? "<\(Level.error.rawValue)>\(line)" : line)
        }
    }

    package func error(_ text: @autoclosure () -> String) { write(.error, about: .none, text()) }
    package func warning(_ text: @autoclosure () -> String) { write(.warning, about: .none, text()) }
    package func notice(_ text: @autoclosure () -> String) { write(.notice, about: .none, text()) }
    package func info(_ text: @autoclosure () -> String) { write(.info, about: .none, text()) }
    package func debug(_ text: @autoclosure () -> String) { write(.debug, about: .none, text()) }

    /// Writes a line about a session.
    package func write(
        _ level: Level, about subject: @autoclosure () -> LogSubject, _ text: @autoclosure () -> String
    ) {
        guard level.rawValue <= self.level.rawValue else { return }
        if lostSinceLast > 0, write(.warning, "\(lostSinceLast) lines were lost here", .none) { lostSinceLast = 0 }
        if write(level, text(), subject()) { return }
        lost += 1
        lostSinceLast += 1
    }

    /// Writes a line that a client has provoked, within its budget.
    package func write(
        _ level: Level, provokedBy what: Provocation, about subject: @autoclosure () -> LogSubject = .none,
        _ text: @autoclosure () -> String
    ) {
        guard level.rawValue <= self.level.rawValue else { return }
        guard let unsaid = budgets[what.rawValue].spend(at: clock.now) else {
            heldBack[what.rawValue] = level
            if budgets[what.rawValue].unsaid == 1 { delegate?.logDidHoldBack() }
            return
        }
        write(level, about: subject(), unsaid == 0 ? text() : "\(text()) (and \(unsaid) more of this kind before)")
    }

    /// Says how many lines were held back, where none has come since that could. False if there is more to say later.
    package func flushSuppressed() -> Bool {
        for what in Provocation.allCases where budgets[what.rawValue].unsaid > 0 {
            if let unsaid = budgets[what.rawValue].takeSuppressedCount(at: clock.now) {
                write(heldBack[what.rawValue], about: .none, what.sum(unsaid))
            }
        }
        return budgets.allSatisfy { $0.unsaid == 0 }
    }

    private func write(_ level: Level, _ text: String, _ subject: LogSubject) -> Bool {
        if let journal { return journal(LogLine.entry(level, text, subject, of: program)) }
        return sink(LogLine.bytes(level, text, style, zone))
    }
}

/// The subject of a log record: fields of systemd's journal, by which records can be searched.
package struct LogSubject {
    package var session: String?
    package var flow: String?
    package var event: String?
    /// The code of the error that a client has got.
    package var code: String?

    package init(session: String? = nil, flow: String? = nil, event: String? = nil, code: String? = nil) {
        (self.session, self.flow, self.event, self.code) = (session, flow, event, code)
    }

    package static let none = LogSubject()
}

// MARK: - Lines that clients, flows and stored data can provoke at will

extension Log {
    package enum Provocation: Int, CaseIterable {
        case refusedConnection, cutOff, wrongToken, descriptors, onboarding, denied
        /// The daemon has stopped or kept back something of a session.
        case sessionTrouble
        /// A session that a start has set aside.
        case setAside
        /// Log lines written by a session itself.
        case sessionWords

        var budget: LogBudget {
            switch self {
            case .refusedConnection, .cutOff, .wrongToken, .descriptors, .onboarding, .denied, .sessionTrouble, .setAside:
                LogBudget()
            case .sessionWords: LogBudget(max: 1_000, refill: .milliseconds(10))
            }
        }

        /// Sums up the lines that were not written.
        func sum(_ count: Int) -> String {
            let what =
                switch self {
                case .refusedConnection: "connections were refused"
                case .cutOff: "clients were disconnected"
                case .wrongToken: "wrong tokens were sent"
                case .descriptors: "connections could not be accepted"
                case .onboarding: "lines came from the accounts of the flow 'onboarding'"
                case .denied: "commands were denied"
                case .sessionTrouble: "warnings were about sessions"
                case .setAside: "sessions were set aside; SESSIONS 0 STATE ! lists them"
                case .sessionWords: "lines came from sessions"
                }
            return "\(count) more \(what)"
        }
    }
}

// MARK: - A budget of lines for what clients can provoke: ten at once, and one a second

struct LogBudget {
    private let capacity: Int
    private let refill: Duration

    private var left: Int
    private var lastRefill: Instant?
    private(set) var unsaid = 0

    init(max: Int = 10, refill: Duration = .seconds(1)) {
        (self.capacity, self.refill, left) = (max, refill, max)
    }

    /// Nil if the budget is spent; else the number of lines suppressed since the last one.
    mutating func spend(at now: Instant) -> Int? {
        replenish(at: now)
        guard left > 0 else {
            unsaid += 1
            return nil
        }
        left -= 1
        defer { unsaid = 0 }
        return unsaid
    }

    /// The number of lines suppressed since the last one, if there is a line left to say it; nil if there is not, or nothing to say.
    mutating func takeSuppressedCount(at now: Instant) -> Int? {
        guard unsaid > 0 else { return nil }
        replenish(at: now)
        return left > 0 ? spend(at: now) : nil
    }

    private mutating func replenish(at now: Instant) {
        guard let last = lastRefill, left < capacity else {
            lastRefill = now
            return
        }
        let earned = last.duration(to: now) / refill
        guard earned >= 1 else { return }
        left = min(capacity, left + Int(min(earned, Double(capacity))))
        lastRefill = now
    }
}

// MARK: - The form of a log record. Text from a client cannot break it into several lines.

enum LogLine {
    enum Style: Equatable {
        /// `<5>text`: systemd's journal, which standard error is connected to, dates it.
        case journal
        /// `2026-11-20T10:00:00.000Z notice: text`
        case dated
    }

    /// Bytes of a text; a longer one is cut.
    static let maxLength = 1_000

    static func bytes(_ level: Log.Level, _ text: String, _ style: Style, _ zone: DateZone = .utc) -> [UInt8] {
        let beginning =
            switch style {
            case .journal: "<\(level.rawValue)>"
            case .dated: "\(now(in: zone)) \(level.name): "
            }
        return Array("\(beginning)\(text.printableRecord(limit: maxLength))\n".utf8)
    }

    /// The same for the journal's own socket.
    static func entry(_ level: Log.Level, _ text: String, _ subject: LogSubject, of program: String) -> JournalEntry {
        var entry = JournalEntry()
        entry.add("PRIORITY", "\(level.rawValue)")
        entry.add("SYSLOG_IDENTIFIER", program)
        entry.add("MESSAGE", text.printableRecord(limit: maxLength))
        if let session = subject.session { entry.add("SESSION", session) }
        if let flow = subject.flow { entry.add("FLOW", flow) }
        if let event = subject.event { entry.add("EVENT", event) }
        if let code = subject.code { entry.add("CODE", code) }
        return entry
    }

    private static func now(in zone: DateZone) -> String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let milliseconds = String(time.tv_nsec / 1_000_000 + 1_000).dropFirst()
        return "\(zone.text(time.tv_sec, "%Y-%m-%dT%H:%M:%S") ?? "-").\(milliseconds)\(zone.offset(at: time.tv_sec))"
    }
}
