// TIMERS, PAUSE, RESUME, EXTEND, NEXT, CLOCK, ADVANCE: time, session by session and for all.

import GameFlow
import RESP
import Timers

extension Command {
    static let timerCommands: [Command] = [timers, pause, resume, extend, next, clock, advance]

    private static let timers: Command = Command(
        name: "TIMERS", syntax: "TIMERS session", summary: "A session's timers, with what is left of each.", words: 2...2
    ) { call throws(CommandError) in
        let machine = try call.session().machine
        let timers = machine.timers.filter { $0.remaining != nil }
        call.reply.append(arrayOf: timers.count)
        for timer in timers { append(timer, of: machine, to: call.reply) }
    }

    private static func append(_ timer: StateTimer, of machine: AnyMachine, to reply: ReplyBuffer) {
        reply.append(mapOf: 7)
        reply.append(bulk: "name")
        reply.append(bulk: timer.plan.name)
        reply.append(bulk: "kind")
        reply.append(bulk: timer.plan.kind.rawValue)
        reply.append(bulk: "remaining_ms")
        reply.append(integer: timer.remaining?.milliseconds ?? 0)
        reply.append(bulk: "period_ms")
        if timer.plan.kind == .pendulum { reply.append(integer: timer.plan.length.milliseconds) } else { reply.appendNull() }
        reply.append(bulk: "event")
        if let event = timer.plan.messageName { reply.append(bulk: event) } else { reply.appendNull() }
        reply.append(bulk: "paused")
        reply.append(boolean: timer.isPaused || machine.isFrozen)
        reply.append(bulk: "generation")
        reply.append(integer: Int(timer.generation))
    }

    private static let pause: Command = Command(
        name: "PAUSE", syntax: "PAUSE session [timer]", summary: "Stops a session's clock, or one of its timers.", words: 2...3
    ) { call throws(CommandError) in
        if call.count == 2 { try call.session().machine.clock.freeze() } else { try timer(call, 2).pause() }
        call.reply.append(.ok)
    }

    private static let resume: Command = Command(
        name: "RESUME", syntax: "RESUME session [timer]",
        summary: "Lets a session's clock go on, or one of its timers, with what was left.", words: 2...3
    ) { call throws(CommandError) in
        if call.count == 2 { try call.session().machine.clock.resume() } else { try timer(call, 2).resume() }
        call.reply.append(.ok)
    }

    private static let extend: Command = Command(
        name: "EXTEND", syntax: "EXTEND session timer duration",
        summary: "Adds time to a timer, or takes it away (-10s). Replies with what is left, in ms.", words: 4...4
    ) { call throws(CommandError) in
        let timer = try timer(call, 2)
        let duration = try call.duration(3)
        do throws(TimerError) {
            try timer.extend(by: duration)
        } catch {
            throw CommandError("ERR", error.description)
        }
        call.reply.append(integer: timer.remaining?.milliseconds ?? 0)
    }

    private static func timer(_ call: Call, _ index: Int) throws(CommandError) -> StateTimer {
        let (session, name) = (try call.session(), call.text(index))
        let timers = session.machine.timers.filter { $0.remaining != nil }
        if let timer = timers.last(where: { $0.plan.name == name }) { return timer }
        let names = timers.map(\.plan.name).joined(separator: ", ")
        throw CommandError(
            "NOTIMER",
            "'\(session.name)' has no timer '\(name)' in '\(session.machine.stateName)'; it has \(names.isEmpty ? "none" : names)"
        )
    }

    private static let next: Command = Command(
        name: "NEXT", syntax: "NEXT [COUNT n]", summary: "What fires next, over all sessions.", words: 1...3
    ) { call throws(CommandError) in
        let count = min(try call.optionalCount(from: 1, else: 10), 10_000)
        let firings = call.daemon.sessions.nextFirings(count)
        call.reply.append(arrayOf: firings.count)
        for firing in firings {
            call.reply.append(mapOf: 4)
            call.reply.append(bulk: "session")
            call.reply.append(bulk: firing.session)
            call.reply.append(bulk: "timer")
            call.reply.append(bulk: firing.timer.plan.name)
            call.reply.append(bulk: "event")
            if let event = firing.timer.plan.messageName { call.reply.append(bulk: event) } else { call.reply.appendNull() }
            call.reply.append(bulk: "remaining_ms")
            call.reply.append(integer: firing.timer.remaining?.milliseconds ?? 0)
        }
    }

    private static let clock: Command = Command(
        name: "CLOCK", syntax: "CLOCK",
        summary: "Whose time it is, system or virtual, and what time: ms since the clock began.",
        words: 1...1
    ) { call throws(CommandError) in
        call.reply.append(mapOf: 2)
        call.reply.append(bulk: "clock")
        call.reply.append(bulk: call.daemon.virtualClock == nil ? "system" : "virtual")
        call.reply.append(bulk: "now_ms")
        call.reply.append(integer: Int(call.daemon.timekeeper.now.nanoseconds / 1_000_000))
    }

    private static let advance: Command = Command(
        name: "ADVANCE", syntax: "ADVANCE duration",
        summary: "Lets virtual time pass, with everything that happens on the way. Replies with how many timers fired.",
        words: 2...2
    ) { call throws(CommandError) in
        guard let clock = call.daemon.virtualClock else {
            throw CommandError("ERR", "time passes by itself here; only a gamed started with --time virtual can be advanced")
        }
        let duration = try call.duration(1)
        guard duration >= .zero else { throw CommandError("ERR", "time cannot go back: '\(call.text(1))' is negative") }
        call.reply.append(integer: try call.advance(clock, by: duration))
    }
}

extension Call {
    /// A client that asks for a century of ticks must not keep all others waiting for it.
    private static var mostFirings: Int { 1_000_000 }

    fileprivate func advance(_ clock: VirtualClock, by duration: Duration) throws(CommandError) -> Int {
        let goal = daemon.timekeeper.now.advanced(by: duration)
        var fired = 0
        do {
            return try daemon.timekeeper.advance(clock, by: duration) {
                guard fired < Self.mostFirings else { throw CommandError("LIMIT", "") }
                let now = daemon.timekeeper.fireDue(atMost: Self.mostFirings)
                fired += now
                return now
            }
        } catch {
            let left = daemon.timekeeper.now.duration(to: goal).milliseconds
            throw CommandError("LIMIT", "\(fired) timers have fired and \(left) ms are left to go; ADVANCE \(left) goes on")
        }
    }

    fileprivate func duration(_ index: Int) throws(CommandError) -> Duration {
        guard let duration = Duration(text: text(index)) else {
            throw CommandError(
                "ERR", "'\(text(index))' is no duration; it is like 90s, 1m30s, 250ms, -10s, or a number of milliseconds")
        }
        return duration
    }
}

extension Sessions {
    /// The timers that fire next, in order.
    func nextFirings(_ count: Int) -> [(session: String, timer: StateTimer)] {
        var firings: [(session: String, timer: StateTimer, deadline: Instant)] = []
        for session in all {
            for timer in session.machine.timers {
                guard let deadline = timer.deadline else { continue }
                firings.append((session.name, timer, deadline))
            }
        }
        firings.sort { $0.deadline < $1.deadline }
        return firings.prefix(count).map { ($0.session, $0.timer) }
    }
}
