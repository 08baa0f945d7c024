// The expected outcome of a command on a session of the flow `turns`; nil if the model cannot predict it.

import RESP
import Timers
@testable import Console

enum ExpectedOutcome {
    case refused
    case gone
    case changed(TurnsSession, Reply)

    /// The commands that may change a session.
    static let changing: Set<String> = ["SEND", "FORCE", "PAUSE", "RESUME", "EXTEND", "RETRY", "RESTART"]

    var isRefused: Bool {
        switch self {
        case .refused: true
        case .gone, .changed: false
        }
    }

    init?(_ command: String, _ words: [[UInt8]], _ session: TurnsSession, _ now: TurnsModel.Circumstances) throws(Fault) {
        let texts = words.map { String(decoding: $0, as: UTF8.self) }
        switch (command, words.count) {
        case ("DROP", 2): self = .gone
        case ("RESTART", 2): self.init(restartingAt: now)
        case ("SEND", 3...8):
            // Requests that repeat an id are not put to this model.
            guard let send = SendWords(words), send.payload == nil else {
                self = .refused
                return
            }
            guard !send.hasCondition else { return nil }
            self.init(sending: texts[2], session, now)
        case ("FORCE", 3...4): self.init(forcing: words, session, now)
        case ("PAUSE", 2...3): self.init(pausing: texts.dropFirst(2).first, session)
        case ("RESUME", 2...3): self.init(resuming: texts.dropFirst(2).first, session, now)
        case ("EXTEND", 4): self.init(extending: texts[2], by: texts[3], session, now)
        default: return nil
        }
    }

    private init?(restartingAt now: TurnsModel.Circumstances) {
        guard now.after.duration(to: .last) > .nanoseconds(TurnsSession.length) else { return nil }
        self = .changed(TurnsSession(), .simple("first"))
    }

    private init?(sending event: String, _ session: TurnsSession, _ now: TurnsModel.Circumstances) {
        guard event == "pass" else {
            self = .refused
            return
        }
        // So near to the end of time the next turn never ends.
        guard now.after.duration(to: .last) > .nanoseconds(TurnsSession.length) else { return nil }
        var next = session
        next.pass()
        self = .changed(next, .simple(next.state))
    }

    private init?(forcing words: [[UInt8]], _ session: TurnsSession, _ now: TurnsModel.Circumstances) {
        guard let isSecond = SavedTurn.isSecond(words[2]) else {
            self = .refused
            return
        }
        guard let turn = words.count == 3 ? SavedTurn(isSecond: isSecond) : SavedTurn(words[3], isSecond: isSecond, now.after)
        else {
            return nil
        }
        guard now.after.duration(to: .last) > .nanoseconds(TurnsSession.length) else { return nil }
        var next = session
        (next.isSecond, next.left, next.isTimerPaused) = (isSecond, turn.left, turn.isPaused)
        next.version += 1
        let answer = Reply.simple(next.state)
        next.fireIfDue()
        self = .changed(next, answer)
    }

    private init?(pausing timer: String?, _ session: TurnsSession) {
        var next = session
        if let timer {
            guard timer == "turn", session.left != nil else {
                self = .refused
                return
            }
            next.isTimerPaused = true
        } else {
            next.isFrozen = true
        }
        self = .changed(next, .simple("OK"))
    }

    private init?(resuming timer: String?, _ session: TurnsSession, _ now: TurnsModel.Circumstances) {
        var next = session
        if let timer {
            guard timer == "turn", session.left != nil else {
                self = .refused
                return
            }
            next.isTimerPaused = false
        } else {
            next.isFrozen = false
        }
        guard Self.canRun(session.left, now) || timer == nil && session.isTimerPaused else {
            self = .refused
            return
        }
        next.fireIfDue()
        self = .changed(next, .simple("OK"))
    }

    private init?(extending timer: String, by text: String, _ session: TurnsSession, _ now: TurnsModel.Circumstances) {
        guard timer == "turn", let left = session.left else {
            self = .refused
            return
        }
        guard let more = PlainDuration.nanoseconds(text) else { return nil }
        let (sum, isBeyond) = left.addingReportingOverflow(more)
        guard !isBeyond, sum <= left || Self.canRun(sum, now) else {
            self = .refused
            return
        }
        var next = session
        next.left = max(0, sum)
        let answer = Reply.integer(Duration.nanoseconds(max(0, sum)).milliseconds)
        if sum <= 0 { next.fireIfDue(anyway: true) }
        self = .changed(next, answer)
    }

    /// Whether that instant is before the end of time.
    private static func canRun(_ left: Int64?, _ now: TurnsModel.Circumstances) -> Bool {
        left.map { now.after.duration(to: .last) >= .nanoseconds($0) } ?? true
    }
}

/// Parses simple durations. Returns nil for all others, even if they are valid.
enum PlainDuration {
    private static let units: [(String, Int64)] = [
        ("ms", 1_000_000), ("ns", 1), ("s", 1_000_000_000), ("h", 3_600_000_000_000),
    ]

    static func nanoseconds(_ text: String) -> Int64? {
        let unit = units.first { text.hasSuffix($0.0) }
        let digits = unit.map { text.dropLast($0.0.count) } ?? text[...]
        guard digits.utf8.count <= 12, let number = Int64(digits), "\(number)" == digits else { return nil }
        return number * (unit?.1 ?? 1_000_000)
    }
}

/// A turn as it is saved, in the forms that the model can read.
struct SavedTurn {
    let isSecond: Bool
    let left: Int64?
    let isPaused: Bool

    init(isSecond: Bool) {
        (self.isSecond, left, isPaused) = (isSecond, TurnsSession.length, false)
    }

    static func isSecond(_ state: [UInt8]) -> Bool? {
        state.elementsEqual("first".utf8) ? false : state.elementsEqual("second".utf8) ? true : nil
    }

    /// `{"turn":{"timer":"turn","remaining_ns":N,"paused":B}}`, and nothing else.
    init?(_ data: [UInt8], isSecond: Bool, _ now: Instant) {
        self.init(inside: String(decoding: data, as: UTF8.self).inside("{", "}"), isSecond, now)
    }

    /// The data of NEW: the same after the state's name.
    init?(beginning data: [UInt8], _ now: Instant) {
        let text = String(decoding: data, as: UTF8.self)
        for (state, isSecond) in [("first", false), ("second", true)] {
            if let rest = text.inside("{\"state\":\"\(state)\",", "}") {
                self.init(inside: rest.inside("\"data\":{", "}") ?? rest, isSecond, now)
                return
            }
        }
        return nil
    }

    private init?(inside text: String?, _ isSecond: Bool, _ now: Instant) {
        guard let parts = text?.inside(#""turn":{"timer":"turn","remaining_ns":"#, "}") else { return nil }
        let words = parts.split(separator: ",\"paused\":")
        guard words.count == 2, let left = Int64(words[0]), "\(left)" == words[0], left >= 0,
            ["true", "false"].contains(words[1])
        else { return nil }
        guard now.duration(to: .last) > .nanoseconds(left) else { return nil }
        (self.isSecond, self.left, isPaused) = (isSecond, left, words[1] == "true")
    }

    var session: TurnsSession { TurnsSession(isSecond: isSecond, isTimerPaused: isPaused, left: left) }
}

extension String {
    /// The text between these two, if it begins and ends with them.
    fileprivate func inside(_ prefix: String, _ suffix: String) -> String? {
        guard utf8.count >= prefix.utf8.count + suffix.utf8.count, hasPrefix(prefix), hasSuffix(suffix) else { return nil }
        return String(dropFirst(prefix.count).dropLast(suffix.count))
    }
}
