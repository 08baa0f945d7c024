// The reports of /healthz and /readyz, and the status gauge.

import BuiltInFlows
import GameFlow
import MemoryStore
import Store
import Monitoring
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Sessions

@Suite struct `The daemon's health` {
    @Test func `The daemon is live if the loop turns, and ready without a disk`() throws {
        let daemon = try MonitoredDaemon([.flow(Turns.self)])
        #expect(daemon.health.live.isGood && daemon.health.live.reason.hasPrefix("the event loop runs"))
        #expect(try daemon.ready().isGood)
        #expect(daemon.health.live.json.description.hasPrefix(#"{"live":true,"reason":"#))
    }

    @Test func `The daemon is not ready while sessions are restored, or cannot be written`() throws {
        let daemon = try MonitoredDaemon([.flow(Turns.self)])
        daemon.daemon.host.isLoading = true
        #expect(try daemon.ready().reason == "the sessions are being restored; try again in a moment")
        daemon.daemon.host.isLoading = false
        daemon.daemon.host.unavailability = CommandError(.journal, "the disk is full")
        let report = try daemon.ready()
        #expect(!report.isGood && report.status == 503 && report.reason == "the disk is full")
        #expect(try daemon.readMetrics().value("gamed_up") == 0)
    }

    @Test func `The daemon is ready once a small test write to the store succeeds`() throws {
        let store = MemoryStore()
        let daemon = try MonitoredDaemon([.flow(Turns.self)], in: store)
        #expect(try daemon.ready().isGood)
        #expect(try store.number("tried") != nil, "the test write reached the store")
        try daemon.daemon.persistence?.finish()
    }

    @Test func `The daemon is not ready if the disk refuses writes, even if no session has changed`() throws {
        let store = MemoryStore()
        let daemon = try MonitoredDaemon([.flow(Turns.self)], in: store)
        store.die(after: 0)
        let report = try daemon.ready()
        #expect(!report.isGood && report.reason == "cannot write: the process has died")
    }

    @Test(.timeLimit(.minutes(1)))
    func `The daemon is not ready while the disk hangs, and a second check gets the same report`() throws {
        // A delay counts from the beginning of its turn, which may be before the request.
        let began = ContinuousClock.now
        let store = MemoryStore()
        let daemon = try MonitoredDaemon([.flow(Turns.self)], in: store)
        store.trouble.isStuck = true
        let report = try daemon.ready()
        #expect(!report.isGood && report.reason.contains("has not completed for 2 seconds"))
        #expect(ContinuousClock.now - began >= .seconds(2))
        #expect(try daemon.ready() == report, "a second check meanwhile is answered at once")
        store.trouble.isStuck = false
        #expect(try eventually { try daemon.ready().isGood })
        try daemon.daemon.persistence?.finish()
    }

    @Test(.timeLimit(.minutes(1)))
    func `The statistics have the result of the last check of the store's files, and do not wait for a check`() throws {
        let store = MemoryStore()
        let daemon = try MonitoredDaemon([.flow(Turns.self)], in: store)
        let persistence = try #require(daemon.daemon.persistence)
        store.trouble = .init(isStuck: true, displacement: StoreError(.failed, "gamed.db is gone"))
        #expect(persistence.statistics.failure == nil)
        store.trouble.isStuck = false
        #expect(eventually { persistence.statistics.failure == "gamed.db is gone" })
        #expect(try daemon.ready().reason == "cannot write: gamed.db is gone")
        store.trouble.displacement = nil
        #expect(eventually { persistence.statistics.failure == nil })
        try persistence.finish()
    }

    @Test func `The status gauge has the latest rates per second, the same for each reader, and zero after a pause`() throws {
        let clock = VirtualClock()
        let daemon = try MonitoredDaemon([.flow(Turns.self)], in: MemoryStore())
        let gauge = StatusGauge(of: daemon.daemon.host, clock: clock)
        daemon.say("NEW a turns")
        #expect(gauge.status["events_per_s"] == .number(0))
        for _ in 0..<30 { daemon.say("SEND a pass") }
        for _ in 0..<10 { daemon.say("SEND a nonsense") }
        clock.move(to: clock.now.advanced(by: .seconds(2)))
        let status = gauge.status
        #expect(status["events_per_s"] == .number(20) && status["refused_per_s"] == .number(5) && status["sessions"] == 1)
        #expect(gauge.status["events_per_s"] == .number(20), "a second reader has the same")
        #expect(status["journal"]?["durability"] == "always" && status["journal"]?["failure"] == .null)
        #expect(status["trouble"] == .null)
        clock.move(to: clock.now.advanced(by: .seconds(60)))
        #expect(gauge.status["events_per_s"] == .number(0), "a pause is no rate")
        try daemon.daemon.persistence?.finish()
    }

    @Test func `The metrics count the journal's commits and written bytes`() throws {
        let daemon = try MonitoredDaemon([.flow(Turns.self)], in: MemoryStore())
        daemon.say("NEW a turns")
        try daemon.turn()
        #expect(eventually { daemon.daemon.persistence?.statistics.batches == 1 })
        let metrics = try daemon.readMetrics()
        #expect(metrics.value("gamed_journal_commit_seconds_count") == 1 && metrics.value("gamed_journal_failing") == 0)
        #expect((metrics.value("gamed_journal_written_bytes_total") ?? 0) > 20)
        #expect(daemon.say("INFO persistence").text?.contains("journal_batches:1\r\n") == true)
        try daemon.daemon.persistence?.finish()
    }
}

extension StatusGauge {
    fileprivate var status: JSON {
        let statistics = read()
        return .object(statistics.counts + statistics.others)
    }
}
