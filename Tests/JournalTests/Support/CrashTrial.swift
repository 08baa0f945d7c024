// A daemon under load that is killed, and started again, and killed again.

import Foundation
import Seeds
import TestSupport
import Testing

final class CrashTrial {
    private let store: DaemonStore
    private var random: SeededGenerator
    private let words: [String]
    private let loadClients: [LoadClient]
    private let timers: TimerClient
    private let observer = ObservingClient()
    private var round = 0

    /// Changes of this time may be lost when the daemon dies, in seconds: 0 with `always`.
    private let mayLose: Double

    private static let failpoints = [
        "before-commit": 400, "after-commit": 400, "during-materialize": 2, "after-materialize": 2, "after-checkpoint": 1,
    ]

    init(_ seeded: SeededGenerator, _ storeKind: StoreKind = .directory, durability: String = "always", mayLose: Double = 0)
        throws
    {
        var random = seeded
        self.mayLose = mayLose
        store = try DaemonStore(storeKind)
        words = ["--durability", durability, "--limit", "session-history=10000", "--limit", "history=100000000"]
        loadClients = (0..<3).map { LoadClient("player\($0)", SeededGenerator(seed: random.next())) }
        timers = TimerClient(SeededGenerator(seed: random.next()))
        self.random = random
        let daemon = try store.start(words, isVirtual: false)
        try timers.prepare(daemon.client())
        try observer.prepare(daemon.client())
        #expect(daemon.stop() == 0)
    }

    enum End {
        /// Killed at a random moment, or at a failpoint.
        case crash
        /// Stopped under load, as by a service manager.
        case stop
    }

    /// Starts a daemon, puts it under load, ends it, and checks what the next one recovers.
    func runRound(_ end: End = .crash) throws {
        round += 1
        let ended = try play(end)
        if end == .crash, Int.random(in: 0..<3, using: &random) == 0 { try killDuringRecovery() }
        let comment = "round \(round), \(ended.how)"
        let daemon = try store.launch(words, isVirtual: false)
        try #require(daemon.waitUntilUp(), "\(comment): \(daemon.errors)")
        let client = try daemon.client()
        for loadClient in loadClients { try loadClient.check(client, least: least(of: loadClient, ended.at), comment) }
        if mayLose == 0 {
            try timers.check(client, comment)
            try observer.check(client, comment)
        }
        try expectNothingElse(client)
        #expect(daemon.stop() == 0)
        let complaints = store.messages(of: daemon)
        #expect(complaints.isEmpty || complaints.contains { $0.contains("restored") }, "\(comment): \(complaints)")
    }

    private func least(of client: LoadClient, _ end: Double) -> Int {
        guard mayLose > 0 else { return client.answered }
        // At a failpoint it has died earlier.
        let end = min(end, loadClients.flatMap(\.requests).map(\.answeredAt).max() ?? 0)
        return client.requests.prefix { $0.answer != nil && $0.answeredAt < end - mayLose || $0.answeredAt == 0 }.count
    }

    private func play(_ end: End) throws -> (how: String, at: Double) {
        let failpoint = end == .crash && Bool.random(using: &random) ? Self.failpoints.randomElement(using: &random) : nil
        let armed = failpoint.map { "\($0.key):\(Int.random(in: 1...$0.value, using: &random))" }
        let daemon = try store.launch(words, isVirtual: false, environment: armed.map { ["GAMED_FAILPOINT": $0] } ?? [:])
        // It may die before it is up.
        _ = eventually { daemon.said.contains("kept: ") || !daemon.isRunning }
        let all = DispatchGroup()
        for loadClient in loadClients { try? daemon.play(loadClient.play, in: all) }
        if mayLose == 0 {
            try? daemon.play(timers.play, in: all)
            try? daemon.play(observer.play, in: all)
            try? daemon.play(observer.look, in: all)
        }
        let milliseconds = UInt32.random(in: mayLose > 0 ? 700...1_500 : 20...250, using: &random)
        usleep(milliseconds * 1_000)
        let at = Date().timeIntervalSinceReferenceDate
        if end == .crash { daemon.killIt() } else { #expect(daemon.stop() == 0) }
        all.wait()
        if end == .crash { try store.endLease() }
        return (armed ?? "\(end) after \(milliseconds) ms", at)
    }

    /// Kills the daemon while it recovers from a kill, which must not lose anything.
    private func killDuringRecovery() throws {
        let point = ["during-recovery", "during-materialize", "after-materialize", "after-restoring"].randomElement(
            using: &random)
        let daemon = try store.launch(words, isVirtual: false, environment: ["GAMED_FAILPOINT": point ?? ""])
        if Bool.random(using: &random) {
            usleep(UInt32.random(in: 0...30_000, using: &random))
        } else {
            _ = eventually(within: 1) { !daemon.isRunning }
        }
        daemon.killIt()
        try store.endLease()
    }

    private func expectNothingElse(_ client: TestClient) throws {
        let names = try client.ask("SESSIONS 0 COUNT 1000").list.last?.list.compactMap(\.text) ?? []
        let known = loadClients.flatMap(\.sessionNames) + ["clock-0", "clock-1", "clock-2", "watched"]
        #expect(Set(names).isSubset(of: known) && Set(names).count == names.count, "\(names)")
    }

    /// Checks the tables by SQL: each event of each session's life is there once. An entry may count several events.
    func expectSoundTables() throws {
        #expect(try store.kind == .database || store.folder.sql("PRAGMA integrity_check") == "ok")
        let sessions =
            """
            SELECT count(*) FROM sessions s JOIN
              (SELECT name, coalesce(last_version, version) AS version,
                 row_number() OVER (PARTITION BY name ORDER BY life DESC, coalesce(last_seq, seq) DESC) AS place FROM history) h
              ON h.name = s.name AND h.place = 1 WHERE s.version > 0 AND s.version != h.version
            """
        #expect(try store.sql(sessions, startedWith: words) == "0", "a session's version is that of its last entry")
        func wrong(_ number: String, from first: Int, where what: String) -> String {
            """
            SELECT count(*) FROM (
              SELECT min(\(number)) AS first, max(coalesce(last_\(number), \(number))) AS last, sum(times) AS times, count(*) AS lines,
                count(DISTINCT \(number)) AS numbers
              FROM history WHERE \(what) GROUP BY name, life) AS life
            WHERE first != \(first) OR times != last - first + 1 OR numbers != lines
            """
        }
        let changes = wrong("version", from: 0, where: "what IN ('begun', 'taken', 'forced')")
        #expect(try store.query(changes) == "0", "versions follow one another, from the beginning on")
        let beginnings =
            "SELECT count(*) FROM history WHERE what IN ('begun', 'taken', 'forced') AND (what = 'begun') != (version = 0)"
        #expect(try store.query(beginnings) == "0", "the beginning is version 0")
        #expect(try store.query(wrong("seq", from: 1, where: "true")) == "0", "the numbers of entries follow one another, too")
        let latest = """
            SELECT count(*) FROM sessions s LEFT JOIN (SELECT name, life, max(coalesce(last_seq, seq)) AS seq FROM history GROUP BY 1, 2) h
              ON h.name = s.name AND h.life = s.life WHERE s.seq IS NULL OR s.seq > h.seq
            """
        #expect(try store.query(latest) == "0", "a session's last number is that of an entry")
    }
}

extension RunningDaemon {
    /// Plays on a thread with a client of its own; the group has finished once all that play in it have.
    func play(_ play: @escaping @Sendable (TestClient) -> Void, in all: DispatchGroup) throws {
        let client = try client()
        all.enter()
        Thread.detachNewThread {
            play(client)
            all.leave()
        }
    }
}
