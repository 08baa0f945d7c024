// Not SCXML: time passes, and timers fire at their instants, in order of deadline, then of arming.

import Charts
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

    /// Lets so many nanoseconds pass. Returns what became of each timer's event.
    func advance(by nanoseconds: Int) -> [Verdict] {
        let end = now + nanoseconds
        var verdicts: [Verdict] = []
        while let timer = nextTimer(until: end) {
            now = max(now, timer.deadline ?? now)
            verdicts += fire(timer)
        }
        now = end
        return verdicts
    }

    /// How long it takes until the next timer fires.
    var untilNextTimer: Int? { timers.compactMap(\.deadline).min().map { $0 - now } }

    private func nextTimer(until end: Int) -> OracleTimer? {
        timers.filter { $0.deadline.map { $0 <= end } ?? false }
            .min { ($0.deadline ?? 0, $0.arming) < ($1.deadline ?? 0, $1.arming) }
    }

    /// A countdown is spent, and a pendulum goes on, whatever becomes of the event.
    private func fire(_ timer: OracleTimer) -> [Verdict] {
        timers.removeAll { $0.arming == timer.arming }
        switch timer.purpose {
        case .ofState(let number):
            if doc.timers[number].kind == .pendulum { swing(number, isPaused: timer.isPaused) }
            return [handle(.timer(number))]
        case .raising(let name, let data):
            return [handle(.named(name, data))]
        case .sending(let errand):
            effects.errands.append(errand)
            return [.taken]
        }
    }

    private func swing(_ number: Int, isPaused: Bool) {
        guard case .fixed(let period) = doc.timers[number].length else { return }
        arm(.ofState(number), after: Int(period.wholeNanoseconds))
        if isPaused { try? pause(number) }
    }
}
