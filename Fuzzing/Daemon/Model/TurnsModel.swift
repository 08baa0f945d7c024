// The expected behaviour of the flow `turns`, written independently of it: two players, one countdown, and any client requests. It reads requests and
// predicts replies. If a request is too odd to be understood here, it believes the state that the daemon then shows.

import Memory
import RESP
import Timers
@testable import Commands
@testable import Console
@testable import Simulation

/// One session as it should be.
struct TurnsSession: Equatable {
    static let length: Int64 = 30_000_000_000

    var isSecond = false
    var version: UInt32 = 0
    /// Whether the session's clock is paused, or only its timer.
    var isFrozen = false
    var isTimerPaused = false
    /// Nanoseconds until the turn ends; nil for a countdown that is over.
    var left: Int64? = length

    var state: String { isSecond ? "second" : "first" }
    var runs: Bool { !isFrozen && !isTimerPaused && left != nil }

    /// The turn goes to the other player.
    mutating func pass() {
        isSecond.toggle()
        version += 1
        (left, isTimerPaused) = (Self.length, false)
    }

    mutating func fireIfDue(anyway isFired: Bool = false) {
        if let left, left <= 0, runs || isFired { pass() }
    }
}

struct TurnsModel: Equatable {
    private(set) var sessions: [ByteString: TurnsSession] = [:]

    /// The model's knowledge of a daemon besides its replies.
    struct Circumstances {
        /// When a request was made, and when it was answered.
        let before: Instant
        let after: Instant
        let sessionCount: Int
        let limits: Limits
        /// The state of a session of that name, if it is one of `turns`: for requests that are too odd to be predicted.
        let observe: (ByteString) -> TurnsSession?
        /// Whether it is a session of some other flow.
        let isTaken: (ByteString) -> Bool
    }

    /// Accepts the sessions as they are shown.
    mutating func believe(_ seen: [ByteString: TurnsSession]) { sessions = seen }

    /// Applies one request, and throws if the reply is not the expected one.
    mutating func apply(_ words: [[UInt8]], _ reply: Reply, _ now: Circumstances) throws(Fault) {
        guard let command = words.first.map({ String(decoding: $0, as: UTF8.self).uppercased() }) else { return }
        switch command {
        case "ADVANCE": try advance(reply, now)
        case "BLUETOOTH": try press(words, reply, now)
        case "NEW": try begin(words, reply, now)
        case "UNDROP": try undrop(words, reply, now)
        default: try applyKnown(command, words, reply, now)
        }
    }

    /// Applies a command about an existing session.
    private mutating func applyKnown(_ command: String, _ words: [[UInt8]], _ reply: Reply, _ now: Circumstances) throws(Fault)
    {
        guard words.count > 1, var session = sessions[name(words)] else { return }
        let mustSucceed = try ExpectedOutcome(command, words, session, now)
        if mustSucceed?.isRefused == true {
            try promise(reply.code != nil, "this must be refused: \(reply.readable)")
        }
        guard reply.code == nil else {
            let isExpected = mustSucceed == nil || mustSucceed?.isRefused == true || reply.code == .journal
            return try promise(isExpected, "the model of 'turns' does not expect \(reply.readable)")
        }
        switch mustSucceed {
        case .refused?: return
        case .gone?:
            try expect(.integer(1), reply)
            sessions[name(words)] = nil
            return
        case .changed(let next, let answer)?:
            session = next
            try expect(answer, reply)
        case nil:
            guard ExpectedOutcome.changing.contains(command), let seen = now.observe(name(words)) else { return }
            session = seen
        }
        sessions[name(words)] = session
    }

    private func name(_ words: [[UInt8]]) -> ByteString { words[1].withUnsafeBytes { ByteString($0) } }

    private func expect(_ answer: Reply, _ reply: Reply) throws(Fault) {
        try promise(reply == answer, "the model of 'turns' expects \(answer.readable), and not \(reply.readable)")
    }

    // MARK: Creation

    private mutating func begin(_ words: [[UInt8]], _ reply: Reply, _ now: Circumstances) throws(Fault) {
        guard words.count > 2 else { return }
        let name = name(words)
        guard sessions[name] == nil else {
            return try promise(reply.code != nil, "there are two of '\(name.text)'")
        }
        guard words[2].elementsEqual("turns".utf8) else { return }
        guard reply.code == nil else { return try checkRefusedBeginning(words, reply, now) }
        if words.count == 3 {
            try expect(.simple("first"), reply)
            sessions[name] = TurnsSession()
        } else if let begun = SavedTurn(beginning: words[3], now.after)?.session {
            var session = begun
            try expect(.simple(session.state), reply)
            session.fireIfDue()
            sessions[name] = session
        } else {
            sessions[name] = now.observe(name)
        }
    }

    /// Other tests check its place. The model only knows that each name is unique, and that the session's changes are counted from the start again.
    private mutating func undrop(_ words: [[UInt8]], _ reply: Reply, _ now: Circumstances) throws(Fault) {
        guard words.count > 1 else { return }
        let name = name(words)
        guard sessions[name] == nil else {
            return try promise(reply.code != nil, "there are two of '\(name.text)'")
        }
        guard reply.code == nil, let seen = now.observe(name) else { return }
        try promise(seen.version <= 1, "'\(name.text)' is taken back at version \(seen.version)")
        sessions[name] = seen
    }

    /// A plain name and no data: then there is hardly a reason to refuse it.
    private func checkRefusedBeginning(_ words: [[UInt8]], _ reply: Reply, _ now: Circumstances) throws(Fault) {
        let isPlain =
            words.count == 3 && (1...min(4, now.limits.nameLength)).contains(words[1].count)
            && words[1].allSatisfy { (0x21...0x7e).contains($0) }
        let hasRoom = now.sessionCount < now.limits.sessions && !now.isTaken(name(words))
        let hasTime = now.after.duration(to: .last) > .nanoseconds(TurnsSession.length)
        guard isPlain, hasRoom, hasTime, reply.code != .journal else { return }
        throw Fault("the model of 'turns' sees no reason for \(reply.readable)")
    }

    // MARK: Time

    /// Advances all sessions by the time that has passed, which a limit may have cut short.
    private mutating func advance(_ reply: Reply, _ now: Circumstances) throws(Fault) {
        let passed = now.before.duration(to: now.after).wholeNanoseconds
        var fired = 0
        for (name, session) in sessions where session.runs {
            var session = session
            session.left = (session.left ?? 0) - passed
            while let left = session.left, left <= 0 {
                session.pass()
                session.left = TurnsSession.length + left
                fired += 1
            }
            sessions[name] = session
        }
        guard let all = reply.integer else { return }
        try promise(all >= fired, "the model of 'turns' counts \(fired) turns that ran out, and ADVANCE \(all)")
    }

    // MARK: Devices

    /// One of the devices is bound to a session of this flow.
    private mutating func press(_ words: [[UInt8]], _ reply: Reply, _ now: Circumstances) throws(Fault) {
        let hall: ByteString = "hall"
        guard let session = sessions[hall], let seen = now.observe(hall) else { return }
        let isBound = words.count > 2 && words[2].elementsEqual("turn-button".utf8)
        let accepted = isBound ? reply.integer ?? 0 : 0
        try promise(
            seen.version == session.version &+ UInt32(accepted), "'hall' went from \(session) to \(seen) by \(reply.readable)")
        sessions[hall] = seen
    }

    // MARK: Checks

    /// Checks the replies to STATE and TIMERS.
    func check(_ name: ByteString, _ state: Reply, _ timers: Reply) throws(Fault) {
        guard let session = sessions[name] else { return }
        let seen = [state["flow"], state["state"], state["version"], state["paused"], state["final"]].map {
            $0?.readable ?? "nothing"
        }
        let right = [
            "\"turns\"", "\"\(session.state)\"", "\(Reply.integer(Int(session.version)))", "\(Reply.boolean(session.isFrozen))",
            "\(Reply.boolean(false))",
        ]
        try promise(seen == right, "'\(name.text)' should be \(session), and STATE says \(state.readable)")
        guard let left = session.left else {
            return try promise(timers == .array([]), "'\(name.text)' should have no timer: \(timers.readable)")
        }
        let timer = timers.parts.first
        let milliseconds = Reply.integer(Duration.nanoseconds(max(0, left)).milliseconds)
        let isRight =
            timers.parts.count == 1 && timer?["name"]?.text == "turn" && timer?["remaining_ms"] == milliseconds
            && timer?["paused"] == .boolean(session.isFrozen || session.isTimerPaused) && timer?["event"]?.text == "pass"
        try promise(isRight, "'\(name.text)' should be \(session), and TIMERS says \(timers.readable)")
    }
}
