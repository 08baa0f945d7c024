// The form of a log record. Text from a client cannot break it into several lines.

import Glibc
import Posix
import Systemd

enum LogLine {
    enum Style: Equatable {
        /// `<5>text`: systemd's journal dates it.
        case journal
        /// `2026-11-20T10:00:00.000Z notice: text`
        case dated

        /// The journal's, if systemd has connected standard error to it.
        static var current: Style { JournalStream.isStandardError() ? .journal : .dated }
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
