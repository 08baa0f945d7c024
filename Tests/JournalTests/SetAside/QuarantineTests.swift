// A quarantined session: RETRY, DROP, and its rows.

import Foundation
import TestSupport
import Testing

@Suite struct `A quarantined session` {
    /// Creates three sessions, runs `lines`, and has the session `a` trap in an event.
    private func trapped(_ lines: String..., in storeKind: StoreKind = .directory) throws -> DaemonStore {
        let store = try DaemonStore(storeKind)
        let daemon = try store.startTrapProbe()
        let client = try daemon.client()
        for line in ["NEW first turns", "NEW a trapper", "NEW last turns", "SEND a count", "SEND a nothing"] + lines {
            _ = try client.ask(line)
        }
        try daemon.trap("SEND a trap illegal")
        return store
    }

    @Test(arguments: StoreKind.thorough)
    func `RETRY restores a quarantined session with its history, its version and its place in time`(storeKind: StoreKind) throws
    {
        let store = try trapped("SEND first pass", "SEND a count", "PAUSE a", in: storeKind)
        var daemon = try store.startTrapProbe()
        let client = try daemon.client()
        // Another session gets its slot.
        #expect(try client.ask("NEW other turns").text == "first")
        #expect(try client.ask("RETRY a").text == "calm")
        for line in ["STATE a", "HISTORY a"] { #expect(try !client.ask(line).isError) }
        #expect(try client.ask("SEND a count").text == "calm")
        for end in ["nothing", "kill", "stop"] {
            if end != "nothing" {
                try store.end(daemon, isKilled: end == "kill")
                daemon = try store.startTrapProbe()
            }
            let state = try daemon.ask("STATE a")
            #expect(state["version"]?.integer == 3 && state["data"]?.text == #"{"count":3}"#, "\(state)")
            #expect(state["paused"]?.integer == 1)
            #expect(try daemon.events(of: "a") == ["count", "count", "nothing", "count"], "after: \(end)")
            #expect(try daemon.events(of: "first") == ["pass"])
            #expect(try daemon.events(of: "other") == [])
            #expect(try daemon.setAsideNames() == [])
        }
        try store.end(daemon, isKilled: false)
        #expect(
            try store.sql("SELECT name, count(*) FROM sessions GROUP BY 1 ORDER BY 1", program: "trap-probe")
                == "a|1\nfirst|1\nlast|1\nother|1")
        #expect(
            try store.query("SELECT count(*) FROM history WHERE name = 'a' AND event IS NOT NULL") == "4",
            "each line is there once")
    }

    @Test func `RETRY restores a quarantined session with the parameters it was created with`() throws {
        let folder = try Folder()
        let virtual = Folder.always + ["--time", "virtual"]
        try folder.probe(virtual).trap(#"NEW a oven '{"context":{"minutes":9}}'"#, "ADVANCE 1000", "SEND a open")
        let daemon = try folder.probe(virtual)
        #expect(try daemon.quarantines("a", "the daemon died while 'a' handled 'open'"), "\(daemon.errors)")
        #expect(try daemon.ask("RETRY a").text == "baking")
        daemon.killIt()
        let next = try folder.probe(virtual)
        #expect(try next.ask("STATE a")["context"]?.text == #"{"minutes":9}"#)
        #expect(try next.ask("TIMERS a").list.first?["remaining_ms"]?.integer == 539_000)
        // A restarted timer lasts as long as the parameters say.
        #expect(try !next.ask("FORCE a baking").isError)
        #expect(try next.ask("TIMERS a").list.first?["remaining_ms"]?.integer == 540_000)
        next.killIt()
        #expect(try folder.sql("SELECT context FROM sessions") == #"{"minutes":9}"#)
    }

    @Test func `A session that traps at RETRY is quarantined as it was, however often`() throws {
        let folder = try Folder()
        let gate = folder.path + "/gate"
        let environment = ["TRAP_WHILE": gate]
        let daemon = try folder.probe(environment: environment)
        for line in ["NEW a trapper", "SEND a enter buried", "NEW b turns"] { #expect(try !daemon.ask(line).isError) }
        #expect(daemon.stop() == 0)
        try Data().write(to: URL(fileURLWithPath: gate))
        #expect(try folder.startProbe(environment: environment).waitForStatus() == -trapSignal)
        for _ in 0..<2 {
            let next = try folder.probe(environment: environment)
            #expect(try next.quarantines("a", "the daemon died while 'a' was being restored"))
            #expect(try next.events(of: "a") == ["enter"])
            try next.trap("RETRY a")
        }
        try FileManager.default.removeItem(atPath: gate)
        let mended = try folder.probe(environment: environment)
        #expect(try mended.quarantines("a", "the daemon died while 'a' was being restored"), "a start tried it again")
        #expect(try mended.ask("RETRY a").text == "buried")
        mended.killIt()
        let last = try folder.probe(environment: environment)
        #expect(try last.ask("STATE a")["data"]?.text == #"{"mine":{"depth":3}}"#)
        #expect(try last.events(of: "a") == ["enter"])
    }

    /// Returns a folder whose session is `armed` on disk, with a timer that has trapped. The timer fires after 100 ms: on a busy
    /// machine that may be before the state is on disk, and before its reply. Then another daemon tries it in a new folder.
    private func trappedByTimer() throws -> Folder {
        var folder = try Folder()
        let isArmed = try eventually {
            folder = try Folder()
            let daemon = try folder.probe()
            #expect(try daemon.ask("NEW a trapper").text == "calm")
            let answer = try? daemon.ask("SEND a arm")
            #expect(daemon.waitForStatus() == -trapSignal)
            return answer?.text == "armed"
        }
        try #require(isArmed)
        return folder
    }

    /// The reply to RETRY comes only once the restored session is on disk.
    @Test func `A session whose timer traps in the turn of its RETRY is quarantined again`() throws {
        let folder = try trappedByTimer()
        let next = try folder.probe()
        try next.trap("RETRY a")
        let last = try folder.probe(environment: ["TRAP_WHILE": "/nowhere"])
        #expect(try last.quarantines("a", "the daemon died while 'a' handled 'burst' of its timer 'fuse'"), "\(last.errors)")
        #expect(try last.ask("RETRY a").text == "armed")
        #expect(try eventually { try last.ask("STATE a")["data"]?.text == #"{"count":1000}"# }, "its timer was overdue")
    }

    @Test(arguments: StoreKind.thorough) func `DROP discards a quarantined session and frees its name`(storeKind: StoreKind)
        throws
    {
        let store = try trapped(in: storeKind)
        let daemon = try store.startTrapProbe()
        #expect(try daemon.ask("DROP a").integer == 1)
        try store.end(daemon, isKilled: true)
        let next = try store.startTrapProbe()
        #expect(try next.setAsideNames() == [])
        #expect(try next.ask("RETRY a").code == .noSession)
        #expect(try next.ask("NEW a turns").text == "first")
        #expect(try next.events(of: "a") == [], "the history of another one")
    }

    @Test func `RETRY is refused for a session that runs, is unknown, or has no flow in this daemon`() throws {
        let store = try trapped()
        let daemon = try store.startTrapProbe()
        let living = try daemon.ask("RETRY first")
        #expect(living.code == .generic && living.sentence?.contains("'first' runs in 'first', and RETRY is for") == true)
        #expect(try daemon.ask("RETRY nobody").code == .noSession)
        #expect(try daemon.ask("RETRY").code == .generic)
        #expect(daemon.stop() == 0)
        // A daemon without its flow can still show it.
        let other = try store.launch(isVirtual: false)
        try #require(other.waitUntilUp(), "\(other.errors)")
        #expect(try other.quarantines("a", "the daemon died while 'a' handled 'trap'"))
        #expect(try other.events(of: "a") == ["nothing", "count"])
        let refusal = try other.ask("RETRY a")
        #expect(
            refusal.code == .setAside
                && refusal.sentence?.contains("still cannot be restored: there is no flow 'trapper'") == true)
        #expect(try other.setAsideNames() == ["a", "first", "last"].filter { $0 == "a" })
        other.killIt()
        #expect(try store.startTrapProbe().ask("RETRY a").text == "calm")
    }

    @Test func `RETRY is refused at the limit of sessions`() throws {
        let store = try trapped()
        let daemon = try store.startTrapProbe(["--limit", "sessions=2"])
        #expect(try daemon.ask("RETRY a").code == .limit)
        #expect(try daemon.setAsideNames() == ["a"])
        #expect(try daemon.ask("DROP first").integer == 1)
        #expect(try daemon.ask("RETRY a").text == "calm")
    }

    @Test func `A quarantined session does not prevent the start of a daemon whose --session names it`() throws {
        let store = try trapped()
        let daemon = try store.startTrapProbe(["--session", "a=trapper", "--session", "new=turns"])
        #expect(try daemon.ask("STATE new")["state"]?.text == "first")
        #expect(try daemon.setAsideNames() == ["a"])
    }

    @Test(arguments: ["during-materialize:1", "after-materialize:1", "after-quarantine:1"])
    func `A session is quarantined once, at whichever point the start is killed`(failpoint: String) throws {
        let store = try trapped()
        let dying = try store.launchTrapProbe(environment: ["GAMED_FAILPOINT": failpoint])
        #expect(dying.waitForStatus() == -SIGKILL)
        let next = try store.startTrapProbe()
        #expect(try next.quarantines("a", "the daemon died while 'a' handled 'trap'"), "\(next.errors)")
        #expect(try next.ask("SEND first pass").text == "second")
        next.killIt()
        #expect(try store.folder.sql("SELECT count(*) FROM sessions", isReadOnly: true) == "3")
    }

    /// Two sessions that trap one after the other, and a name that is used again.
    @Test(arguments: StoreKind.thorough) func `A quarantined session does not hide another one`(storeKind: StoreKind) throws {
        let store = try trapped(in: storeKind)
        let daemon = try store.startTrapProbe()
        #expect(try daemon.ask("DROP a").integer == 1)
        try daemon.trap(
            "NEW a trapper", "NEW b trapper", "SEND a count", "SEND b count", "SEND b count", "SEND a trap abort", by: SIGABRT)
        try store.startTrapProbe().trap("SEND first pass", "SEND b trap overflow", by: SIGSEGV)
        let last = try store.startTrapProbe()
        #expect(try last.setAsideNames() == ["a", "b"])
        #expect(try last.events(of: "a") == ["count"])
        #expect(try last.events(of: "b") == ["count", "count"])
        #expect(try last.ask("RETRY b").text == "calm")
        #expect(try last.setAsideNames() == ["a"])
        #expect(try last.ask("STATE first")["state"]?.text == "second")
    }
}

@Suite struct `gamectl on a quarantined session` {
    @Test func `The commands of gamectl list, explain and retry a quarantined session`() throws {
        let folder = try Folder()
        try folder.probe().trap("NEW a trapper", "SEND a count", "SEND a trap illegal")
        let daemon = try folder.probe()
        let gamectl = { (words: String...) in
            try run(productsDirectory.appending(path: "gamectl").path, ["--socket", folder.socket] + words).output
                .trimmingCharacters(in: .newlines)
        }
        #expect(try gamectl("sessions", "--state", "!") == "a")
        #expect(try gamectl("state", "a").contains("ASIDE 'a' is quarantined: the daemon died while 'a' handled 'trap'; "))
        #expect(try gamectl("history", "a").contains("calm -> calm"))
        #expect(try gamectl("help", "retry").contains("usage: gamectl retry session"))
        #expect(try gamectl("retry", "a") == "calm")
        #expect(try gamectl("sessions") == "a")
        _ = daemon
    }
}
