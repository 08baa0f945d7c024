// The doctor's finding on one subject.

import GameFlow
import Terminal
import Texts

/// One thing that was looked at.
package struct Finding: Equatable, Sendable {
    package enum Verdict: String, Sendable {
        case good
        /// It works, and may not for long.
        case doubtful
        case bad
    }

    package let about: String
    package let verdict: Verdict
    package let sentence: String
    /// The advice; nil if there is nothing to do.
    package let advice: String?

    static func good(_ about: String, _ sentence: String) -> Finding {
        Finding(about: about, verdict: .good, sentence: sentence, advice: nil)
    }

    static func doubtful(_ about: String, _ sentence: String, _ advice: String) -> Finding {
        Finding(about: about, verdict: .doubtful, sentence: sentence, advice: advice)
    }

    static func bad(_ about: String, _ sentence: String, _ advice: String) -> Finding {
        Finding(about: about, verdict: .bad, sentence: sentence, advice: advice)
    }

    var json: JSON {
        [
            "about": .string(about), "verdict": .string(verdict.rawValue), "says": .string(sentence),
            "advice": advice.map { .string($0) } ?? .null,
        ]
    }

    private static let (verdictWidth, aboutWidth) = (6, 10)

    /// In one line, or two.
    func lines(_ style: Style) -> [String] {
        let (word, look): (String, TextAttribute) =
            switch verdict {
            case .good: ("ok", .good)
            case .doubtful: ("look", .stopped)
            case .bad: ("BAD", .bad)
            }
        let head = style(word.padded(to: Self.verdictWidth), look) + style(about.padded(to: Self.aboutWidth), .faint)
        let margin = String(repeating: " ", count: Self.verdictWidth + Self.aboutWidth)
        return [head + sentence.printable] + (advice.map { [margin + "→ " + $0.printable] } ?? [])
    }
}

extension [Finding] {
    /// The last line.
    var summary: String {
        let count = count { $0.verdict != .good }
        if count == 0 { return "all is well" }
        return count == 1 ? "one thing to look at" : "\(count) things to look at"
    }
}

// MARK: - The clocks

extension Finding {
    /// No machine that this runs on has an earlier date.
    private static let tooEarly = 1_735_689_600

    /// `isSynchronized` is nil where the system does not say.
    static func clock(_ report: DaemonReport, isSynchronized: Bool?, seconds: Int) -> Finding {
        guard seconds > tooEarly else {
            return .bad(
                "clock", "this machine's date is before 2025",
                "set it (timedatectl); timers after a restart depend on it")
        }
        if report["time"] == "virtual" {
            return .doubtful(
                "clock", "virtual time: it passes only with ADVANCE",
                "for real time, start without --time virtual")
        }
        guard isSynchronized != false else {
            return .doubtful(
                "clock", "no program synchronizes this machine's clock; timers after a restart depend on it",
                "install systemd-timesyncd or chrony")
        }
        return .good("clock", isSynchronized == nil ? "system clock" : "system clock, synchronized")
    }
}
