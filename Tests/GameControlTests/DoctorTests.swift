// The findings of gamectl doctor for given facts. Tests/JournalTests/TroubleGuideTests.swift tests it with real problems.

import Client
import Foundation
import RESP
import Testing
import Texts

@testable import GameControl

@Suite struct `The doctor` {
    /// The INFO reply of a healthy daemon, with these fields replaced.
    private func report(_ changes: [String: String] = [:]) -> DaemonReport {
        var fields = [
            "gamed_version": "1.0.0", "process_id": "7", "time": "system", "connected_clients": "1", "sessions": "3",
            "durability": "everysec", "loading": "0", "journal_status": "ok", "journal_failure": "", "checkpoint_failure": "",
            "limit_sessions": "1000", "limit_connections": "100", "timers_fired": "500", "lateness_p99_us": "80",
        ]
        fields.merge(changes) { $1 }
        return DaemonReport("# All\r\n" + fields.map { "\($0):\($1)\r\n" }.joined())
    }

    private func all(_ report: DaemonReport) -> [Finding] {
        Finding.storage(report) + [.clock(report, isSynchronized: true, seconds: 1_800_000_000)] + Finding.sessions(report)
            + Finding.clients(report) + Finding.pace(report)
            + [.certificate(report, at: 1_800_000_000)].compactMap(\.self)
    }

    @Test func `The doctor finds no problem in a healthy daemon`() {
        #expect(all(report()).allSatisfy { $0.verdict == .good && $0.advice == nil }, "\(all(report()))")
        #expect(all(report()).summary == "no problems found")
        #expect(report().unavailability == nil)
        let encrypted = report(["tls_certificate_expires": "1801209600"])
        #expect(all(encrypted).last?.sentence == "the certificate is valid for 14 more days")
        #expect(all(encrypted).allSatisfy { $0.verdict == .good })
    }

    @Test(arguments: [
        (["journal_status": "failing", "journal_failure": "the disk is full"], Finding.Verdict.bad, "the disk is full"),
        (["loading": "1"], .bad, "sessions are being restored"),
        (
            ["loading": "1", "cluster_failure": "the database at db:5432 does not answer: connection refused"], .bad,
            "the database at db:5432 does not answer"
        ),
        (
            ["journal_backlog_bytes": "9", "last_sync_ms_ago": "12000"], .bad,
            "the disk has written nothing for 12 s, and 9 bytes wait"
        ),
        (["durability": "none", "journal_status": "ok"], .doubtful, "nothing is stored"),
        (["checkpoint_failure": "the database is locked"], .doubtful, "the database is locked"),
        (["backup_status": "failed", "backup_error": "no space"], .doubtful, "the last backup failed: no space"),
        (["tables_failure": "a row is too large"], .doubtful, "cannot be applied to the tables: a row is too large"),
        (["loading_failure": "the row 1 of the table 'log' does not match"], .bad, "CLUSTERDOWN: the row 1 of the table 'log'"),
        (["cluster_unowned_shards": "3", "cluster_shards": "16"], .bad, "3 of 16 shards have no owner"),
        (["mail_failure": "permission denied"], .bad, "messages between sessions are not delivered: permission denied"),
        (["sessions_set_aside": "3", "sessions_quarantined": "1"], .bad, "1 quarantined: the daemon died of it"),
        (["sessions_set_aside": "3"], .doubtful, "3 set aside"),
        (["sessions": "950"], .doubtful, "950 of 1000 allowed sessions"),
        (["connected_clients": "95"], .doubtful, "95 of 100 connections"),
        (["cut_off_for_memory": "2"], .doubtful, "2 were disconnected"),
        (["wrong_tokens": "101"], .doubtful, "101 wrong tokens"),
        (["lateness_p99_us": "70000"], .doubtful, "more than 70 ms late"), (["log_lines_lost": "4"], .doubtful, "4 log lines"),
        (["tls_certificate_expires": "1800000000"], .bad, "the certificate has expired"),
        (["tls_certificate_expires": "1800000001"], .doubtful, "the certificate expires in less than a day"),
        (["tls_certificate_expires": "1801209599"], .doubtful, "the certificate expires in 13 days"),
        (["time": "virtual"], .doubtful, "virtual time"),
        (["clocks_stopped": "2"], .bad, "stopped the clocks of 2 sessions"),
        (["clocks_stopped": "1"], .bad, "the clock of 1 session"),
        (["timers_fired": "3", "lateness_p99_us": "113000"], .doubtful, "of 3 timers fired, the latest was 113 ms late"),
    ])
    func `The doctor reports each problem with advice`(
        changes: [String: String], verdict: Finding.Verdict, words: String
    ) throws {
        let found = all(report(changes)).filter { $0.verdict != .good }
        let finding = try #require(found.first { $0.sentence.contains(words) }, "\(found)")
        #expect(finding.verdict == verdict && finding.advice?.isEmpty == false)
    }

    @Test func `The doctor does not blame the disk if a node's database does not answer`() throws {
        let report = report(["loading": "1", "cluster_failure": "the database at db:5432 does not answer"])
        #expect(Finding.journal(report).advice?.contains("disk") == false)
        #expect(report.unavailability == "the database at db:5432 does not answer")
    }

    /// With --durability none, --data has no effect.
    @Test func `The doctor names both settings with which nothing is stored`() {
        let advice = Finding.journal(report(["durability": "none"])).advice
        #expect(advice == "to store them, start it with --data DIR, and without --durability none")
    }

    @Test func `The doctor reports a different version, and a program file that was replaced`() {
        var facts = ProcessFacts()
        #expect(Finding.version(report(), facts, own: "1.0.0").verdict == .good)
        #expect(Finding.version(report(), facts, own: "1.1.0").sentence == "the daemon is gamed 1.0.0, and this gamectl 1.1.0")
        facts.programIsGone = true
        #expect(Finding.version(report(), facts, own: "1.0.0").advice?.contains("restart") == true)
    }

    @Test(arguments: [
        (1_024, 20, Finding.Verdict.good), (128, 20, .doubtful), (1_024, 1_000, .bad),
    ])
    func `The doctor warns if the descriptor limit is too low for the connections`(
        most: Int, open: Int, verdict: Finding.Verdict
    ) {
        var facts = ProcessFacts()
        (facts.maxDescriptors, facts.openDescriptors) = (most, open)
        #expect(Finding.descriptors(report(), facts)?.verdict == verdict)
    }

    @Test func `The doctor resolves a relative path against the daemon's working directory`() {
        var facts = ProcessFacts()
        #expect(facts.absolute("data") == nil && facts.absolute("/var/lib/gamed") == "/var/lib/gamed")
        facts.workingDirectory = "/srv/games"
        #expect(facts.absolute("data") == "/srv/games/data" && facts.absolute("/var/lib/gamed") == "/var/lib/gamed")
    }

    @Test func `The doctor accepts a report with the largest and the smallest numbers`() {
        var facts = ProcessFacts()
        (facts.maxDescriptors, facts.openDescriptors) = (1_024, 20)
        let (largest, smallest) = ("\(Int.max)", "\(Int.min)")
        #expect(Finding.descriptors(report(["limit_connections": largest]), facts)?.verdict == .doubtful)
        #expect(Finding.descriptors(report(["limit_connections": smallest]), facts)?.verdict == .good)
        let aside = report(["sessions_set_aside": largest, "sessions_quarantined": smallest])
        #expect(Finding.sessions(aside).contains { $0.verdict == .doubtful })
        #expect(Finding.certificate(report(["tls_certificate_expires": smallest]), at: 1_800_000_000)?.verdict == .bad)
        #expect(Finding.certificate(report(["tls_certificate_expires": largest]), at: 1_800_000_000)?.verdict == .good)
    }

    @Test func `The doctor skips descriptors and memory if it cannot read them`() {
        #expect(Finding.descriptors(report(), ProcessFacts()) == nil)
        #expect(Finding.memory(ProcessFacts()) == nil)
    }

    @Test func `A process's limits, memory and control group are parsed from its files in proc`() {
        let limits = """
            Limit                     Soft Limit           Hard Limit           Units
            Max open files            1024                 1048576              files
            """
        #expect(ProcessFacts.maxDescriptors(in: limits) == 1_024)
        #expect(ProcessFacts.kilobytes("VmRSS:", in: "Name:\tgamed\nVmRSS:\t   20480 kB\n") == 20 << 20)
        #expect(ProcessFacts.group(in: "0::/system.slice/gamed.service\n") == "/sys/fs/cgroup/system.slice/gamed.service")
    }

    // MARK: The disk

    private func data(_ change: (inout DataFacts) -> Void) -> [Finding] {
        var facts = DataFacts(path: "/var/lib/gamed")
        (facts.freeBytes, facts.totalBytes) = (50 << 30, 100 << 30)
        (facts.freeFiles, facts.totalFiles, facts.fileSystem) = (1_000_000, 2_000_000, "ext4")
        change(&facts)
        return facts.findings.filter { $0.verdict != .good }
    }

    @Test func `The doctor finds no problem in a disk with free space and a private directory`() {
        #expect(data { _ in } == [])
    }

    @Test func `The doctor warns about a full or remote disk, and a directory that others can read`() {
        #expect(data { $0.freeBytes = 100 << 20 }.map(\.verdict) == [.doubtful])
        #expect(data { $0.freeBytes = 10 << 20 }.map(\.sentence) == ["10.5 MB of 107.4 GB are free"])
        #expect(Int.max.bytesWritten == "9223372036.9 GB" && 999.bytesWritten == "999 bytes" && 1_049.bytesWritten == "1.0 kB")
        #expect(data { $0.freeFiles = 3 }.map(\.verdict) == [.bad])
        #expect(data { $0.fileSystem = "nfs4" }.map(\.verdict) == [.bad])
        #expect(data { $0.mode = 0o755 }.map(\.advice) == ["chmod 700 /var/lib/gamed"])
        #expect(data { $0.logBytes = 2 << 30 }.first?.sentence.contains("gamed.db-wal has grown to 2.1 GB") == true)
        #expect(data { $0.damagedCopies = 1 }.map(\.verdict) == [.doubtful])
    }

    @Test func `The space on a disk is counted up to the largest number, also if its file system reports more`() {
        #expect(DataFacts.bytes(26_214_400, 4_096) == 100 << 30)
        #expect(DataFacts.bytes(.max, 4_096) == .max && DataFacts.bytes(.max, .max) == .max)
    }

    @Test func `A directory's file system is that of its device, also behind a symbolic link`() throws {
        let mounts = """
            22 1 0:300 / / rw - overlay overlay rw
            36 22 0:52 /x /var/lib rw,noatime shared:1 master:2 - nfs4 server:/x rw
            40 22 259:1 / /data rw - ext4 /dev/nvme0n1p1 rw
            """
        #expect(DataFacts.fileSystem(of: 52, in: mounts) == "nfs4")
        #expect(DataFacts.fileSystem(of: 259 << 8 | 1, in: mounts) == "ext4")
        #expect(DataFacts.fileSystem(of: 1 << 20 | 44, in: mounts) == "overlay")
        #expect(DataFacts.fileSystem(of: 53, in: mounts) == nil)
        let link = FileManager.default.temporaryDirectory.path + "/gamed-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: link) }
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/proc")
        #expect(DataFacts(at: link)?.fileSystem == "proc")
    }

    @Test func `The doctor says that a directory is gone only if it sees the files of the daemon's process`() throws {
        let container = FileManager.default.temporaryDirectory.path + "/gamed-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: container) }
        try FileManager.default.createDirectory(atPath: container + "/root/data", withIntermediateDirectories: true)
        var process = ProcessFacts()
        let unseen = Finding.data(at: "/no/such/data", of: process)
        #expect(unseen.map(\.verdict) == [.doubtful] && unseen[0].sentence.contains("in a container"), "\(unseen)")
        #expect(Finding.data(at: container, of: process).count > 1, "what is there can be checked")
        process.folderOfDaemon = container
        #expect(Finding.data(at: "/data", of: process).count > 1)
        #expect(
            Finding.data(at: container, of: process).map(\.sentence) == [
                "\(container) is gone: changes are lost or refused"
            ])
    }

    @Test func `A process is the daemon if it has the lock of a data directory open, or of a deleted one`() {
        #expect(ProcessFacts.isLock("/var/lib/gamed/gamed.lock") && ProcessFacts.isLock("/gamed.lock (deleted)"))
        #expect(!ProcessFacts.isLock("/var/lib/gamed/gamed.db") && !ProcessFacts.isLock(nil))
    }

    // MARK: The socket

    @Test func `The doctor warns about a socket that others can open or replace`() {
        func findings(_ mode: UInt32, _ folder: UInt32 = 0o755) -> [Finding.Verdict] {
            SocketFile(path: "/run/gamed/gamed.sock", mode: 0o140_000 | mode, owner: 0, folderMode: folder).findings.map(
                \.verdict)
        }
        #expect(findings(0o660) == [])
        #expect(findings(0o666) == [.doubtful])
        #expect(findings(0o660, 0o777) == [.bad])
        #expect(findings(0o660, 0o1777) == [], "a sticky directory protects other users' files")
        #expect(
            SocketFile(path: "/x", mode: 0o100_600, owner: 0, folderMode: 0o755).findings.map(\.sentence) == [
                "/x is not a socket"
            ]
        )
    }

    // MARK: Flows

    /// A line of the reply to RELOAD DRY FULL.
    private func line(_ facts: [String: Reply], _ text: String) -> Reply {
        var facts = facts
        facts["text"] = .bulk(Array(text.utf8))
        return .map(facts.map { Reply.Pair(key: .bulk(Array($0.utf8)), value: $1) })
    }

    @Test func `The doctor rates pending flow changes by the reply to RELOAD DRY`() {
        let (flow, changed) = (Reply.simple("flow"), Reply.simple("changed"))
        #expect(Finding.flows([]).map(\.verdict) == [.good])
        let unchanged = line(["about": flow, "change": .simple("unchanged"), "set_aside": .integer(0)], "quiz: unchanged")
        let tokens = line(["about": .simple("file"), "kept": .boolean(false)], "token file: read again")
        #expect(Finding.flows([unchanged, tokens]).map(\.verdict) == [.good])
        let change = line(
            ["about": flow, "change": changed, "continued": .integer(1), "set_aside": .integer(0)],
            "quiz: would change, 1 session would continue")
        #expect(Finding.flows([unchanged, change]).map(\.verdict) == [.doubtful])
        let misfit = line(
            ["about": flow, "change": changed, "continued": .integer(0), "set_aside": .integer(1)],
            "quiz: would change, 1 session would be set aside: it has no state 'x'")
        #expect(Finding.flows([misfit]).map(\.verdict) == [.bad])
        #expect(
            Finding.flows([misfit]).map(\.sentence) == ["quiz: would change, 1 session would be set aside: it has no state 'x'"]
        )
        #expect(Finding.brokenSettings("kept the old token file: it is empty; nothing has changed").verdict == .bad)
    }

    @Test(arguments: [
        (false, "gamectl reload applies the change"), (true, "gamed --check, then restart the daemon: systemctl restart gamed"),
    ])
    func `The doctor advises a restart for a setting that a reload does not apply`(needsRestart: Bool, advice: String) {
        let change = line(["about": .simple("setting"), "needs_restart": .boolean(needsRestart)], "limit history: 10")
        #expect(Finding.flows([change]) == [.doubtful("settings", "limit history: 10", advice)])
    }

    @Test(arguments: [
        (ErrorCode.wrongToken, "token", "correct it there"),
        (.notAuthenticated, "token", "run gamectl on the daemon's machine"),
        (.noPermission, "daemon", "run gamectl as the daemon's user"),
        (.loading, "daemon", "wait until it has restored all sessions"),
        (.busy, "daemon", "wait until the work that it names has ended"),
        (.limit, "daemon", nil), (.generic, "daemon", nil), (.clusterDown, "daemon", nil), (ErrorCode("NEW"), "daemon", nil),
    ])
    func `The doctor reports a daemon that refuses this client, with advice about permissions only where they are missing`(
        code: ErrorCode, about: String, advice: String?
    ) {
        let finding = Finding.refused(code, "no; wait 9 s", by: .socket("/run/it.sock"))
        #expect(finding.verdict == .bad && finding.about == about)
        #expect(finding.sentence == "the daemon at /run/it.sock answers: \(code) no; wait 9 s")
        #expect((finding.advice == nil) == (advice == nil) && finding.advice?.hasPrefix(advice ?? "") != false)
    }

    @Test func `The doctor adds no advice to the reason why another machine's daemon cannot be reached, which has its own`() {
        let reason = "the server at venue-a does not speak TLS; try without --tls"
        #expect(
            Finding.unreachable(reason, nil, isLocal: false)
                == Finding(about: "daemon", verdict: .bad, sentence: reason, advice: nil))
        #expect(Finding.unreachable("no daemon listens", nil, isLocal: true).advice?.hasPrefix("start it; ") == true)
    }

    @Test func `The doctor advises to correct the file that a warning is about, before it is applied`() {
        let change = line(
            ["about": .simple("flow"), "change": .simple("changed"), "set_aside": .integer(0), "timers_ended": .integer(1)],
            "quiz: would change, 1 session would continue")
        let text = "session 'room' in state 'asking': its timer 'answer' has no counterpart in the new file and would end"
        let findings = Finding.flows([change, line(["about": .simple("warning")], text)])
        #expect(findings.map(\.verdict) == [.doubtful, .doubtful])
        #expect(findings.map(\.sentence).last == text)
        #expect(
            findings.map(\.advice) == [
                "gamectl reload applies the change", "correct the file before gamectl reload, or accept this",
            ])
    }

    @Test func `The doctor advises to correct a file that would end sessions`() {
        let text = "quiz: would change, 1 session would be over, since the state 'asking' is final in the new file"
        let change = line(
            ["about": .simple("flow"), "change": .simple("changed"), "ended": .integer(1), "set_aside": .integer(0)], text)
        #expect(
            Finding.flows([change]) == [.doubtful("flows", text, "correct the file before gamectl reload, or accept this")])
    }

    @Test func `The doctor warns about a clock that was never set`() {
        #expect(Finding.clock(report(), isSynchronized: true, seconds: 0).verdict == .bad)
        #expect(Finding.clock(report(), isSynchronized: false, seconds: 1_800_000_000).verdict == .doubtful)
        #expect(Finding.clock(report(), isSynchronized: nil, seconds: 1_800_000_000).verdict == .good)
    }

    @Test func `The doctor's findings are printed line by line, each with its advice below it`() {
        #expect(Finding.good("clock", "the machine's").lines(.plain) == ["ok    clock     the machine's"])
        #expect(
            Finding.bad("disk", "it is full", "free some space").lines(.plain) == [
                "BAD   disk      it is full", "                → free some space",
            ])
    }
}
