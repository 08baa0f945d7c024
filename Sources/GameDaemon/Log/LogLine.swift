// What a record looks like. Whatever it says of a client, it stays one line.

import Glibc

enum LogLine {
    enum Style: Equatable {
        /// `<5>text`: the journal dates it.
        case journal
        /// `2026-11-20T10:00:00.000Z notice: text`
        case dated

        /// The journal's, if systemd has connected the process to it.
        static var current: Style {
            getenv("JOURNAL_STREAM").map { $0.pointee != 0 } == true ? .journal : .dated
        }
    }

    /// The longest text, in bytes; what goes beyond is cut.
    static let longest = 1_000

    static func bytes(_ level: Log.Level, _ text: String, _ style: Style) -> [UInt8] {
        let beginning =
            switch style {
            case .journal: "<\(level.rawValue)>"
            case .dated: "\(now()) \(level.name): "
            }
        return Array("\(beginning)\(plain(text))\n".utf8)
    }

    /// The text with everything made visible that could end a line, colour it, or turn it around.
    static func plain(_ text: String) -> String {
        made(of: text.unicodeScalars) { isSafe($0) ? $0 == "\\" ? "\\\\" : nil : escape($0) }
    }

    /// The same for people at a shell, who take no backslash for a sign of ours.
    static func shown(_ text: String) -> String {
        made(of: text.unicodeScalars) { isSafe($0) ? nil : $0 == "\n" ? "\\n" : escape($0) }
    }

    private static func made(
        of text: String.UnicodeScalarView, _ replacement: (Unicode.Scalar) -> String?
    ) -> String {
        var made = ""
        for scalar in text {
            guard made.utf8.count < longest else { return made + "…" }
            if let replacement = replacement(scalar) { made += replacement } else { made.unicodeScalars.append(scalar) }
        }
        return made
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: false
        default: true
        }
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
