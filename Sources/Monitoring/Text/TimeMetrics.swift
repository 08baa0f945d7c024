import Commands

extension MetricsWriter {
    mutating func addTime(_ host: Host) {
        let timers = host.timekeeper
        family("gamed_timers_armed", .gauge, "Timers that will fire if nothing stops them.")
        sample(timers.armedCount)
        family("gamed_timers_armed_total", .counter, "How often timers were armed, each swing of a pendulum included.")
        sample(timers.armings)
        family("gamed_timers_fired_total", .counter, "How many of those fired.")
        sample(timers.firings)
        family(
            "gamed_timers_cancelled_total", .counter,
            "How many did not: their state was left, or they were paused, extended or dropped.")
        sample(timers.cancellations)
        family("gamed_timer_lateness_seconds", .histogram, "How late timers fired.")
        sample(timers.latenesses)
        guard let turns = host.turns else { return }
        family("gamed_turn_duration_seconds", .histogram, "How long turns of the loop took: all else waits for one.")
        sample(turns.turnTimes)
    }
}
