// The form of a log record. Text from a client cannot break it into several lines.

import Glibc
import Posix

enum LogLine {
    enum Style: Equatable {
        /// `<5>text`: systemd's journal dates it.
        case journal
        /// `2026-11-20T10:00:00.000Z notice: text`
        case dated

        /// The journal's, if systemd has connected standard error to it.
        static var current: Style {
            environmentVariable("JOURNAL_STREAM") == nil ? .dated : .journal
        }
    }

    /// Bytes of a text; a longer one is cut.
    static let longest = 1_000

    static func bytes(_ level: Log.Level, _ text: String, _ style: Style) -> [UInt8] {
        let beginning =
            switch style {
            case .journal: "<\(level.rawValue)>"
            case .dated: "\(now()) \(level.name): "
            }
        return Array("\(beginning)\(text.printableRecord(limit: longest))\n".utf8)
    }

    private static func now() -> String {
        var (time, parts) = (timespec(), tm())
        clock_gettime(CLOCK_REALTIME, &time)
        gmtime_r(&time.tv_sec, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
        let seconds = String(decoding: text[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
        let milliseconds = String(time.tv_nsec / 1_000_000 + 1_000).dropFirst()
        return "\(seconds).\(milliseconds)Z"
    }
}
