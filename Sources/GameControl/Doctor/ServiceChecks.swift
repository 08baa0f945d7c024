// The daemon's report on its journal, its sessions, its clients and its timers.

import Client
import Glibc
import RESP
import Texts

extension Finding {
    static func journal(_ report: DaemonReport) -> Finding {
        if let unavailability = report.unavailability, report.isNode {
            return .bad(
                "database", unavailability,
                "see docs/TROUBLE.md, 'The database of a cluster does not answer'; nothing is lost")
        }
        if let unavailability = report.unavailability {
            return .bad(
                "journal", unavailability, "make the disk writable, with free space; the daemon then continues by itself")
        }
        guard report.keeps else {
            return .doubtful(
                "journal", "nothing is stored: all sessions end with the daemon",
                "to store them, start it with --data DIR, and without --durability none")
        }
        if let failure = report["checkpoint_failure"] {
            return .doubtful(
                "journal", "changes are durable in gamed.db-wal but cannot be applied to the database: \(failure)",
                "end the program that keeps a read transaction open; until then gamed.db-wal grows")
        }
        return .good("journal", "ok, durability \(report["durability"] ?? "?")")
    }

    /// The journal; and while it works, what does not keep up with it, or waits in a cluster's database.
    static func storage(_ report: DaemonReport) -> [Finding] {
        guard report.unavailability == nil else { return [journal(report)] }
        let others: [Finding?] = [
            report["tables_failure"].map {
                .doubtful(
                    "tables", "changes are durable in the log but cannot be applied to the tables: \($0)",
                    "remove the cause; the daemon then continues by itself, and until then the log grows")
            },
            report["loading_failure"].map {
                .bad(
                    "shards", "a shard cannot be loaded, and clients of its sessions get CLUSTERDOWN: \($0)",
                    "repair the rows that the reason names, or restore the database; the node keeps trying")
            },
            report.unownedShards.map {
                .bad(
                    "shards", $0,
                    "gamectl cluster names missing flows; after the end of a node, run gamectl doctor again in some seconds")
            },
            report["mail_failure"].map {
                .bad(
                    "messages", "messages between sessions are not delivered: \($0)",
                    "remove the cause; the node then delivers them, and none is lost")
            },
            report["backup_status"] != "failed"
                ? nil
                : .doubtful(
                    "backup", "the last backup failed: \(report["backup_error"] ?? "")",
                    "when the reason is gone, make another one: gamectl backup FILE"),
        ]
        return [journal(report)] + others.compactMap(\.self)
    }

    static func sessions(_ report: DaemonReport) -> [Finding] {
        let (aside, quarantined) = (report.number("sessions_set_aside"), report.number("sessions_quarantined"))
        var findings = [Finding.room(report)]
        if quarantined > 0 {
            findings.append(
                .bad(
                    "sessions",
                    "\(quarantined) quarantined: the daemon died of \(quarantined == 1 ? "it" : "them"), or data was damaged",
                    "gamectl sessions --state '!' lists them; gamectl state NAME shows the reason, gamectl retry NAME restores one"
                ))
        }
        if aside > quarantined {
            findings.append(
                .doubtful(
                    "sessions", "\(aside - quarantined) set aside: their flows are missing, or do not fit them",
                    "gamectl sessions --state '!' lists them; gamectl reload restores those that fit the flow files"))
        }
        let stopped = report.number("clocks_stopped")
        if stopped > 0 {
            findings.append(
                .bad(
                    "sessions",
                    "the daemon has stopped \(stopped == 1 ? "the clock of 1 session" : "the clocks of \(stopped) sessions"): timers of zero length fire in a cycle",
                    "gamectl sessions --state '!stopped' lists them; fix the flow, gamectl reload, then gamectl resume NAME"))
        }
        return findings
    }

    private static func room(_ report: DaemonReport) -> Finding {
        let (count, most) = (report.number("sessions"), report.number("limit_sessions"))
        guard most == 0 || count < most - most / 10 else {
            return .doubtful(
                "sessions", "\(count) of \(most) allowed sessions exist",
                "drop some, let them expire (--expire FLOW=DURATION), or raise the limit: gamectl raw CONFIG SET sessions N")
        }
        return .good("sessions", "session".counted(count))
    }

    static func clients(_ report: DaemonReport) -> [Finding] {
        let (count, most) = (report.number("connected_clients"), report.number("limit_connections"))
        var findings: [Finding] = []
        if most > 0, count > most - most / 10 {
            findings.append(
                .doubtful(
                    "clients", "\(count) of \(most) connections are open",
                    "raise the limit: gamectl raw CONFIG SET connections N"))
        }
        if report.number("cut_off_for_memory") > 0 {
            findings.append(
                .doubtful(
                    "clients",
                    "\(report.number("cut_off_for_memory")) were disconnected because they did not read their replies",
                    "find the client that subscribes and does not read, or raise the limit: CONFIG SET client-bytes N"))
        }
        if report.number("wrong_tokens") > 100 {
            findings.append(
                .doubtful(
                    "clients", "\(report.number("wrong_tokens")) wrong tokens since the start",
                    "the log shows the addresses; block them with a firewall"))
        }
        return findings.isEmpty ? [.good("clients", "\(count) of \(most) connections")] : findings
    }

    /// Let's Encrypt's clients renew a certificate 30 days before it expires.
    private static let renewalDays = 14

    /// The TLS certificate; nil without one. Times are in seconds since 1970.
    static func certificate(_ report: DaemonReport, at now: Int) -> Finding? {
        guard report["tls_certificate_expires"] != nil else { return nil }
        let expiry = report.number("tls_certificate_expires")
        let advice = "replace the files of --tls-cert and --tls-key, then gamectl reload"
        let days = (expiry - now) / 86_400
        if expiry <= now { return .bad("TLS", "the certificate has expired; clients refuse it", advice) }
        guard days >= renewalDays else {
            let left = days == 0 ? "less than a day" : "day".counted(days)
            return .doubtful("TLS", "the certificate expires in \(left)", advice)
        }
        return .good("TLS", "the certificate is valid for \(days) more days")
    }

    private static let maxLateMicroseconds = 50_000

    /// Timers that are late, and lines that could not be logged.
    static func pace(_ report: DaemonReport) -> [Finding] {
        let (late, lost) = (report.number("lateness_p99_us"), report.number("log_lines_lost"))
        var findings: [Finding] = []
        if late > maxLateMicroseconds {
            let fired = report.number("timers_fired")
            let which = fired < 100 ? "of \(fired) timers fired, the latest was" : "1 % of the timers fire more than"
            findings.append(
                .doubtful(
                    "timers", "\(which) \(late / 1_000) ms late",
                    "the machine is overloaded or a flow is slow: see the metric gamed_turn_duration_seconds"))
        }
        if lost > 0 {
            findings.append(
                .doubtful(
                    "log", "\(lost) log lines were lost because their reader is too slow",
                    "speed up the reader of the log, or log less (--log)"))
        }
        return findings.isEmpty ? [.good("timers", "99 % of the timers fire within \(late) µs")] : findings
    }

    // MARK: Flows

    /// The reply to RELOAD DRY FULL: whether the daemon has read the current files.
    static func flows(_ lines: [Reply]) -> [Finding] {
        let changes = lines.filter { $0["about"]?.text != "file" && $0["change"]?.text != "unchanged" }
        guard !changes.isEmpty else {
            return [.good("flows", lines.isEmpty ? "no flow files are loaded" : "the flow files have not changed")]
        }
        return changes.map { change in
            let text = change["text"]?.text ?? ""
            if change["about"]?.text == "setting" { return setting(change, text) }
            guard change["set_aside"]?.integer ?? 0 == 0 else {
                return .bad("flows", text, "fix the file before gamectl reload, or those sessions are set aside")
            }
            // About the flow files, a part of a session that would be lost, or sessions that would be over.
            let isWarning = change["about"]?.text == "warning" || change["ended"]?.integer ?? 0 > 0
            return .doubtful(
                "flows", text,
                isWarning ? "correct the file before gamectl reload, or accept this" : "gamectl reload applies the change")
        }
    }

    /// A changed setting of the configuration.
    private static func setting(_ change: Reply, _ text: String) -> Finding {
        let needsRestart = change["needs_restart"]?.boolean == true
        return .doubtful(
            "settings", text,
            needsRestart
                ? "gamed --check, then restart the daemon: systemctl restart gamed" : "gamectl reload applies the change")
    }

    static func brokenFlows(_ sentence: String) -> Finding {
        .bad("flows", sentence, "gamectl check FILE lists the errors; the daemon continues with the old flows")
    }

    /// Of the configuration, or of a file that it names, such as that of the tokens.
    static func brokenSettings(_ sentence: String) -> Finding {
        .bad("settings", sentence, "fix that file, then gamectl reload; the daemon continues with the old settings")
    }

    /// Another reload is being done, or the check takes longer than gamectl waits.
    static func uncheckedFlows(_ error: ControlError) -> Finding {
        .doubtful("flows", "they could not be checked: \(error)", "run gamectl doctor again, or with a longer --within")
    }
}

// MARK: - INFO's reply, field by field.

/// A daemon's report about itself.
package struct DaemonReport {
    private let fields: [Substring: Substring]

    package init(_ text: String) {
        let pairs = text.split(whereSeparator: \.isNewline).compactMap { line -> (Substring, Substring)? in
            guard !line.hasPrefix("#"), let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon], line[line.index(after: colon)...])
        }
        fields = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// Nil where it is missing, or empty.
    subscript(name: String) -> String? { fields[name[...]].flatMap { $0.isEmpty ? nil : String($0) } }

    /// 0 where it is missing. A server that is no daemon may send any number: sums and differences of two do not overflow.
    func number(_ name: String) -> Int { min(max(0, self[name].flatMap { Int($0) } ?? 0), .max / 2) }

    /// Whether the daemon is a node of a cluster.
    var isNode: Bool { fields["cluster_failure"] != nil }
    /// Whether sessions are kept on disk.
    var keeps: Bool { self["durability"] != "none" }
    var process: Int? { self["process_id"].flatMap { Int($0) } }
}

extension DaemonReport {
    /// The reason why the daemon does not work; nil if it does.
    package var unavailability: String? {
        if let failure = self["cluster_failure"] { return failure }
        if self["loading"] == "1" { return "sessions are being restored" }
        if self["journal_status"] == "failing" {
            return "the disk cannot be written, so changes are refused: \(self["journal_failure"] ?? "")"
        }
        guard waitsForDisk else { return nil }
        return
            "the disk has written nothing for \(number("last_sync_ms_ago") / 1_000) s, and \(number("journal_backlog_bytes")) bytes wait"
    }

    /// Says how many shards have no owner; nil if each has one, or without a cluster.
    package var unownedShards: String? {
        let (unowned, all) = (number("cluster_unowned_shards"), number("cluster_shards"))
        return unowned == 0 ? nil : "\(unowned) of \(all) shards have no owner, and clients of their sessions get CLUSTERDOWN"
    }

    /// Something waits for the disk, which has taken nothing for long; also for a moment, when something happens after a long rest.
    fileprivate var waitsForDisk: Bool {
        keeps && number("journal_backlog_bytes") > 0 && number("last_sync_ms_ago") > Self.timeout
    }

    /// How long the disk may take nothing while something waits for it, in milliseconds.
    private static let timeout = 10_000
}

extension DaemonClient {
    /// The daemon's report about itself.
    func report() throws(ControlError) -> DaemonReport {
        var report = try requestReport()
        // A disk that works has taken it by then, and a released shard has its new owner.
        for _ in 0..<8 where report.waitsForDisk || report.unownedShards != nil {
            usleep(250_000)
            report = try requestReport()
        }
        return report
    }

    /// Throws if something else answers: Redis knows INFO, and refuses clients without its password, too.
    private func requestReport() throws(ControlError) -> DaemonReport {
        let report: DaemonReport
        do throws(ControlError) {
            report = DaemonReport(try ask(["INFO"]).text ?? "")
        } catch .refused(let code, let sentence) {
            guard lacksFlows(refusingWith: code) else { throw .refused(code: code, sentence: sentence) }
            throw .noDaemon("the server at \(address) is not a game daemon: it has no command FLOWS")
        }
        guard report["gamed_version"] != nil else {
            throw .noDaemon("the server at \(address) is not a game daemon: its INFO has no gamed_version")
        }
        return report
    }

    /// Whether the server does not know a command that each daemon has. Redis reports an unknown command also to a client without its password.
    private func lacksFlows(refusingWith code: ErrorCode) -> Bool {
        // A daemon that requires TLS refuses each command in clear with ERR.
        guard code != .generic,
            let connection = try? ServerConnection(strangeTo: address, tls: tls, program: program, timeout: timeout),
            case .error(.generic, _)? = try? connection.ask(["FLOWS"])
        else { return false }
        return true
    }
}
