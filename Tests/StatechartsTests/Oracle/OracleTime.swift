// Not SCXML: time passes, and timers fire at their instants, in order of deadline, then of arming.

import Statecharts
import Timers

extension AppendixD {
    func startTimers(of state: Int) throws {
        for number in doc.states[state].timers {
            arm(.ofState(number), after: try nanoseconds(doc.timers[number].length))
        }
    }

    func cancelTimers(of state: Int) {
        timers.removeAll { $0.number.map { doc.timers[$0].state == state } ?? false }
    }

    /// Advances time, in nanoseconds. Returns the outcome of each timer's event.
    func advance(by nanoseconds: Int) -> [Verdict] {
        let end = now + nanoseconds
        var verdicts: [Verdict] = []
        var firingsAtOnce = 0
        while let timer = nextTimer(until: end) {
            let instant = max(now, timer.nextFiring(at: now) ?? now)
            firingsAtOnce = instant > now ? 0 : firingsAtOnce + 1
            guard firingsAtOnce <= Self.maxFiringsAtOnce else {
                stopsTime = true
                return verdicts
            }
            now = instant
            verdicts += fire(timer)
        }
        now = end
        return verdicts
    }

    /// More firings than that without time passing count as a cycle.
    private static var maxFiringsAtOnce: Int { 10_000 }

    /// The time until the next timer fires, in nanoseconds.
    var untilNextTimer: Int? { timers.compactMap { $0.nextFiring(at: now) }.min().map { $0 - now } }

    private func nextTimer(until end: Int) -> OracleTimer? {
        let due = timers.compactMap { timer in timer.nextFiring(at: now).map { (timer: timer, instant: $0) } }
        return due.filter { $0.instant <= end }
            .min { ($0.instant, $0.timer.arming) < ($1.instant, $1.timer.arming) }?.timer
    }

    private func fire(_ timer: OracleTimer) -> [Verdict] {
        guard let milestone = timer.toCome.head(), let number = timer.number else { return expire(timer) }
        guard let index = timers.firstIndex(where: { $0.arming == timer.arming }) else { return [] }
        timers[index].toCome = timer.toCome.tail()
        return [handle(.milestone(timer: number, milestone.index))]
    }

    /// A countdown ends and a pendulum continues, also if the event is refused.
    private func expire(_ timer: OracleTimer) -> [Verdict] {
        timers.removeAll { $0.arming == timer.arming }
        switch timer.purpose {
        case .ofState(let number):
            if doc.timers[number].kind == .pendulum { swing(number, isPaused: timer.isPaused) }
            return [handle(.timer(number))]
        case .raising(let name, let data):
            return [handle(.named(name, data))]
        case .sending(let request):
            effects.requests.append(request)
            return [.taken]
        }
    }

    private func swing(_ number: Int, isPaused: Bool) {
        guard case .fixed(let period) = doc.timers[number].length else { return }
        arm(.ofState(number), after: Int(period.wholeNanoseconds))
        if isPaused { pause(number) }
    }
}
