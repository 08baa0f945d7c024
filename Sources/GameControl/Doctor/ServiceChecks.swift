// What the daemon says of its journal, its sessions, its clients and its timers.

extension Finding {
    static func journal(_ report: DaemonReport) -> Finding {
        if let trouble = report.trouble, report.isNode {
            return .bad(
                "database", trouble,
                "docs/TROUBLE.md says what to do (The database of a cluster does not answer); nothing is lost")
        }
        if let trouble = report.trouble {
            return .bad("journal", trouble, "make the disk writable again, with some space: the daemon goes on by itself then")
        }
        guard report.keeps else {
            return .doubtful(
                "journal", "nothing is kept: all sessions end with the daemon", "start it with --data DIR, if they should not")
        }
        if let failure = report["checkpoint_failure"] {
            return .doubtful(
                "journal", "changes are safe, and cannot be brought into the database: \(failure)",
                "end whatever reads it and keeps a transaction open; until then gamed.db-wal grows")
        }
        return .good("journal", "ok, durability \(report["durability"] ?? "?")")
    }

    static func sessions(_ report: DaemonReport) -> [Finding] {
        let (aside, quarantined) = (report.number("sessions_set_aside"), report.number("sessions_quarantined"))
        var findings = [Finding.room(report)]
        if quarantined > 0 {
            findings.append(
                .bad(
                    "sessions",
                    "\(quarantined) quarantined: the daemon died of \(quarantined == 1 ? "it" : "them"), or data was damaged",
                    "gamectl sessions --state '!' names them; gamectl state NAME says why, gamectl retry NAME tries again"))
        }
        if aside > quarantined {
            findings.append(
                .doubtful(
                    "sessions", "\(aside - quarantined) set aside: their flows are missing, or do not fit them",
                    "gamectl sessions --state '!' names them; they come back once a flow file fits them (gamectl reload)"))
        }
        let stopped = report.number("clocks_stopped")
        if stopped > 0 {
            findings.append(
                .bad(
                    "sessions",
                    "the daemon has stopped \(stopped == 1 ? "the clock of 1 session" : "the clocks of \(stopped) sessions"): timers of no length fire in a circle",
                    "gamectl sessions --state '!stopped' names them; mend the flow, gamectl reload, then gamectl resume NAME"))
        }
        return findings
    }

    private static func room(_ report: DaemonReport) -> Finding {
        let (count, most) = (report.number("sessions"), report.number("limit_sessions"))
        guard most == 0 || count < most - most / 10 else {
            return .doubtful(
                "sessions", "there are \(count) sessions, and \(most) are allowed",
                "drop some, have them expire (--expire FLOW=DURATION), or gamectl raw CONFIG SET sessions N")
        }
        return .good("sessions", count == 1 ? "1 session" : "\(count) sessions")
    }

    static func clients(_ report: DaemonReport) -> [Finding] {
        let (count, most) = (report.number("connected_clients"), report.number("limit_connections"))
        var findings: [Finding] = []
        if most > 0, count > most - most / 10 {
            findings.append(
                .doubtful(
                    "clients", "\(count) of \(most) connections are open", "gamectl raw CONFIG SET connections N allows more"))
        }
        if report.number("cut_off_for_memory") > 0 {
            findings.append(
                .doubtful(
                    "clients",
                    "\(report.number("cut_off_for_memory")) were cut off because they did not read what they had asked for",
                    "look for a client that subscribes and does not read; CONFIG SET client-bytes N gives them more memory"))
        }
        if report.number("wrong_tokens") > 100 {
            findings.append(
                .doubtful(
                    "clients", "\(report.number("wrong_tokens")) wrong tokens were tried since the start",
                    "the log says from where; let a firewall keep strangers out"))
        }
        return findings.isEmpty ? [.good("clients", "\(count) of \(most) connections")] : findings
    }

    private static let mostLateMicroseconds = 50_000

    /// Timers that are late, and lines that could not be logged.
    static func pace(_ report: DaemonReport) -> [Finding] {
        let (late, lost) = (report.number("lateness_p99_us"), report.number("log_lines_lost"))
        var findings: [Finding] = []
        if late > mostLateMicroseconds {
            let fired = report.number("timers_fired")
            let which = fired < 100 ? "of \(fired) that fired, the latest was" : "one in a hundred fires more than"
            findings.append(
                .doubtful(
                    "timers", "\(which) \(late / 1_000) ms late",
                    "the machine is too busy, or a flow takes too long: the metric gamed_turn_seconds says which"))
        }
        if lost > 0 {
            findings.append(
                .doubtful(
                    "log", "\(lost) lines were lost, since their reader was too slow",
                    "look at what reads the log, or log less (--log)"))
        }
        return findings.isEmpty ? [.good("timers", "the latest in a hundred are \(late) µs late")] : findings
    }

    // MARK: Flows

    /// What RELOAD DRY has said: whether the files are what the daemon has read.
    static func flows(_ lines: [String]) -> [Finding] {
        let news = lines.filter { !$0.hasSuffix(": unchanged") && !$0.hasSuffix(": read again") }
        guard !news.isEmpty else {
            return [.good("flows", lines.isEmpty ? "no flow files are loaded" : "the flow files have not changed since they were loaded")]
        }
        return news.map { line in
            if line.contains("set aside") {
                return .bad("flows", line, "mend the file before gamectl reload, or it sets those sessions aside")
            }
            if line.contains(": kept the old one") { return .bad("flows", line, "mend that file, then gamectl reload") }
            return .doubtful("flows", line, "gamectl reload takes up what has changed")
        }
    }

    static func brokenFlows(_ sentence: String) -> Finding {
        .bad("flows", sentence, "gamectl check FILE says all that is wrong with it; the daemon goes on with what it has")
    }
}
