// Lengths of time: `"30s"`, a number of milliseconds, or an expression that gives one.

import JSON
import Timers

extension ChartReader {
    func length(_ value: LocatedJSON, _ what: String, of state: Int, maySubtract: Bool = false) -> Length? {
        let duration: Duration?
        switch value.content {
        case .text(let text):
            duration = Duration(text: text)
            if duration == nil {
                guard let complaint = LengthText.complaint(about: text) else {
                    return .computed(expression(text, in: value, of: state))
                }
                problems.error(value.offset, complaint)
                return nil
            }
        case .integer(let milliseconds): duration = Duration(text: "\(milliseconds)")
        case .number(let milliseconds): duration = Duration(text: "\(milliseconds)")
        case .null, .bool, .array, .object, .unreadable:
            problems.wrong(value, "\(what) is a duration such as \"30s\", or an expression in milliseconds")
            return nil
        }
        guard let duration else {
            problems.error(value.offset, "\(what) is \(value.typeInWords), and no timer is that long")
            return nil
        }
        guard maySubtract || duration >= .zero else {
            problems.error(value.offset, "\(what) is \(duration.written), and nothing can come before now")
            return nil
        }
        return .fixed(duration)
    }

    /// A key that is a length of time.
    func duration(_ member: LocatedJSON.Member, in what: String) -> Duration? {
        guard let duration = Duration(text: member.name) else {
            problems.error(
                member.offset, LengthText.complaint(about: member.name) ?? Duration.complaint(about: member.name.shortened))
            return nil
        }
        guard duration >= .zero else {
            problems.error(member.offset, "'\(what)' counts forward, and \(member.name.quoted) is behind")
            return nil
        }
        return duration
    }
}

enum LengthText {
    /// What to say of a text that was meant as a duration; nil if it may be an expression.
    static func complaint(about text: String) -> String? {
        let together = text.filter { !$0.isWhitespace }
        if together != text, Duration(text: together) != nil { return Duration.complaint(about: text.shortened) }
        let digits = together.drop { $0 == "-" }.prefix { $0.isNumber || $0 == "." }
        let unit = together.drop { $0 == "-" }.dropFirst(digits.count)
        guard !digits.isEmpty, !unit.isEmpty, unit.allSatisfy(\.isLetter), unit.lowercased() != "e", unit.first != "x" else {
            return nil
        }
        return Duration.complaint(about: text.shortened)
    }
}
