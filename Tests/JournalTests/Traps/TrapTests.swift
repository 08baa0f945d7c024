// A flow that traps: the next start quarantines the session whose code ran, and names the operation.

import Foundation
import TestSupport
import Testing

@Suite struct `A daemon that a flow has trapped` {
    @Test(arguments: [
        ("illegal", trapSignal), ("pointer", SIGSEGV), ("bus", SIGBUS), ("arithmetic", SIGFPE), ("abort", SIGABRT),
        ("overflow", SIGSEGV),
    ])
    func `A trap in an event quarantines the session, and the others run`(how: String, signal: Int32) throws {
        let folder = try Folder()
        try folder.probe().trap(
            "NEW other turns", "NEW a trapper", "NEW last turns", "SEND other pass", "SEND a count", "SEND a trap \(how)",
            by: signal)
        // That a quarantine stays over restarts does not depend on the signal.
        for end in how == "illegal" ? ["kill", "stop", "stop"] : ["stop"] {
            let daemon = try folder.probe()
            #expect(try daemon.quarantines("a", "the daemon died while 'a' handled 'trap'"), "\(daemon.errors)")
            for line in ["SEND a count", "NEW a turns", "TIMERS a", "PAUSE a", "FORCE a calm"] {
                let answer = try daemon.ask(line)
                #expect(answer.code == .setAside, "\(line): \(answer)")
            }
            #expect(try daemon.setAsideNames() == ["a"])
            #expect(try daemon.events(of: "a") == ["count"])
            #expect(try daemon.ask("INFO persistence").text?.contains("sessions_quarantined:1\r\n") == true)
            #expect(try daemon.ask("STATE other")["state"]?.text == "second")
            #expect(try !daemon.ask("SEND last pass").isError)
            #expect(daemon.errors.contains("'a' is quarantined: the daemon died while 'a' handled 'trap'; HISTORY a and "))
            if end == "kill" { daemon.killIt() } else { #expect(daemon.stop() == 0) }
        }
        #expect(
            try folder.sql("SELECT quarantined, problem FROM sessions WHERE id < 0")
                == "1|the daemon died while 'a' handled 'trap'")
    }

    @Test func `A trap in a transaction quarantines the command's session, and keeps nothing of the turn`() throws {
        let folder = try Folder()
        try folder.probe().trap(
            "NEW other turns", "NEW a trapper", "SEND a enter glass", "MULTI", "SEND other pass", "STATE a", "SEND other pass",
            "EXEC")
        let next = try folder.probe()
        #expect(try next.quarantines("a", "the daemon died while STATE read 'a'"), "\(next.errors)")
        #expect(try next.ask("STATE other")["state"]?.text == "first")
    }

    /// A request before the trap, the request that traps, and the operation in the report.
    @Test(arguments: [
        ("SEND a enter glass", "STATE a", "STATE read 'a'"), ("SEND a enter maze", "EVENTS a", "EVENTS read 'a'"),
        ("SEND a enter maze", "SEND a peek", "'a' handled 'peek'"), ("SEND a enter maze", "SEND a burst", nil),
        ("SEND a enter maze", "SEND a count", "'a' was read"), ("PING", "SEND a enter sealed", "'a' handled 'enter'"),
        ("PING", #"FORCE a sealed '{"seal":{}}'"#, "FORCE was executed on 'a'"),
        ("PING", #"FORCE a buried '{"mine":{"depth":1}}'"#, "FORCE was executed on 'a'"),
        ("PAUSE a", "SEND a arm", "'a' handled 'burst' of its timer 'fuse'"),
    ])
    func `A trap in any code of a flow names the session and operation`(before: String, last: String, deed: String?) throws {
        let folder = try Folder()
        let daemon = try folder.probe(Folder.always + ["--time", "virtual"])
        let client = try daemon.client()
        for line in ["NEW other turns", "NEW a trapper", before] { #expect(try !client.ask(line).isError, "\(line)") }
        if last.hasSuffix("arm") {
            #expect(try client.ask(last).text == "armed")
            #expect(try client.ask("RESUME a").text == "OK")
            try daemon.trap("ADVANCE 1s")
        } else if deed == nil {
            #expect(try client.ask(last).code == .badEvent)
            daemon.killIt()
        } else {
            try daemon.trap(last)
        }
        let next = try folder.probe(Folder.always + ["--time", "virtual"])
        if let deed {
            #expect(try next.quarantines("a", "the daemon died while \(deed)"), "\(next.errors)")
        } else {
            #expect(try next.setAsideNames() == [])
        }
        #expect(try next.ask("STATE other")["state"]?.text == "first")
    }

    @Test(arguments: ["always", "everysec"])
    func `A trap in a timer's event is not repeated by the next start`(durability: String) throws {
        let folder = try Folder()
        let words = ["--durability", durability]
        let daemon = try folder.probe(words)
        for line in ["NEW other turns", "NEW a trapper", "SEND a count"] {
            #expect(try !daemon.ask(line).isError, "\(line)")
        }
        // The timer fires after 100 ms, and changes that are not written by then are lost.
        #expect(try eventually { try daemon.ask("INFO persistence").text?.contains("journal_backlog_bytes:0\r\n") == true })
        // With `always`, the trap may come before the reply.
        _ = try? daemon.ask("SEND a arm")
        #expect(daemon.waitForStatus() == -trapSignal)
        for _ in 0..<2 {
            let next = try folder.probe(words)
            #expect(
                try next.quarantines("a", "the daemon died while 'a' handled 'burst' of its timer 'fuse'"), "\(next.errors)")
            #expect(try next.ask("STATE other")["state"]?.text == "first")
            next.killIt()
        }
    }

    @Test func `A trap in a state's work, which each start repeats, quarantines the session`() throws {
        let folder = try Folder()
        let daemon = try folder.probe()
        _ = try daemon.ask("NEW a trapper")
        _ = try? daemon.ask("SEND a enter working")
        #expect(daemon.waitForStatus() == -trapSignal)
        // The turn's unwritten changes are lost; the restored state begins its work again, which traps once more.
        let next = try folder.startProbe()
        if next.waitUntilUp() == false { #expect(next.waitForStatus() == -trapSignal) } else { next.killIt() }
        let last = try folder.probe()
        #expect(try last.quarantines("a", "the daemon died while the work of 'a' was done"), "\(last.errors)")
    }

    @Test func `Sessions that trap while they are restored are quarantined one per start`() throws {
        let folder = try Folder()
        let gate = folder.path + "/gate"
        let environment = ["TRAP_WHILE": gate]
        let daemon = try folder.probe(environment: environment)
        for name in ["a", "b", "c"] {
            #expect(try daemon.ask("NEW \(name) trapper").text == "calm")
            #expect(try daemon.ask("SEND \(name) enter \(name == "b" ? "glass" : "buried")").isError == false)
        }
        #expect(daemon.stop() == 0)
        try Data().write(to: URL(fileURLWithPath: gate))
        for _ in 0..<2 { #expect(try folder.startProbe(environment: environment).waitForStatus() == -trapSignal) }
        let next = try folder.probe(environment: environment)
        for name in ["a", "c"] {
            #expect(try next.quarantines(name, "the daemon died while '\(name)' was being restored"), "\(next.errors)")
            #expect(try next.events(of: name) == ["enter"])
        }
        #expect(try next.ask("TIMERS b").isError == false)
    }

    @Test func `A set-aside session that traps while it is restored is quarantined`() throws {
        let folder = try Folder()
        let daemon = try folder.probe(environment: ["TRAP_WHILE": "/nowhere"])
        for line in ["NEW a trapper", "SEND a enter buried"] { #expect(try !daemon.ask(line).isError) }
        #expect(daemon.stop() == 0)
        // A daemon without its flow.
        let other = try RunningDaemon(keepingIn: folder)
        try #require(other.waitUntilUp())
        #expect(try other.ask("STATE a").sentence?.contains("there is no flow 'trapper'") == true)
        #expect(try other.ask("RETRY a").sentence?.contains("still cannot be restored: there is no flow 'trapper'") == true)
        #expect(other.stop() == 0)
        #expect(try folder.startProbe().waitForStatus() == -trapSignal)
        let next = try folder.probe()
        #expect(try next.quarantines("a", "the daemon died while 'a' was being restored"), "\(next.errors)")
        #expect(try folder.sql("SELECT count(*) FROM sessions", isReadOnly: true) == "1")
    }

    @Test func `A daemon that traps ends by the signal, with a backtrace if one is enabled`() throws {
        let folder = try Folder()
        let words = "enable=yes,color=no,interactive=no,timeout=60s,threads=crashed,registers=none,images=none,limit=4"
        let daemon = try folder.probe(environment: ["SWIFT_BACKTRACE": words])
        try daemon.trap("NEW a trapper", "SEND a count", "SEND a trap pointer", by: SIGSEGV)
        #expect(daemon.errors.contains("Bad pointer dereference"), "\(daemon.errors.prefix(3_000))")
        #expect(try folder.probe().quarantines("a", "the daemon died while 'a' handled 'trap'"))
    }
}

@Suite struct `An end that is no trap` {
    /// A daemon that handles an event without end.
    private func busy(_ folder: Folder) throws -> (RunningDaemon, TestClient) {
        let daemon = try folder.probe()
        for line in ["NEW other turns", "NEW a trapper", "SEND a count"] { #expect(try !daemon.ask(line).isError) }
        let client = try daemon.client()
        client.send(["SEND a trap sleep"])
        #expect(daemon.complains("this flow hangs on purpose"))
        #expect(!client.hasInput())
        return (daemon, client)
    }

    /// SIGABRT too, if another process sends it.
    @Test(arguments: [SIGKILL, SIGABRT, SIGSEGV])
    func `A signal from another process quarantines no session, even during an event`(signal: Int32) throws {
        let folder = try Folder()
        let (daemon, client) = try busy(folder)
        daemon.signal(signal)
        #expect(daemon.waitForStatus() == -signal)
        #expect(throws: NoAnswer.self) { try client.next() }
        let next = try folder.probe()
        #expect(try next.setAsideNames() == [])
        #expect(try next.ask("STATE a")["version"]?.integer == 1)
        #expect(next.errors.contains("error") == false, "\(next.errors)")
    }

    @Test func `A trap of another thread quarantines no session`() throws {
        let folder = try Folder()
        try folder.probe().trap("NEW a trapper", "SEND a count", "SEND a trap thread")
        let next = try folder.probe()
        #expect(try next.setAsideNames() == [])
        #expect(try next.ask("STATE a")["version"]?.integer == 1)
    }

    @Test func `A clean end leaves no flight record behind`() throws {
        let folder = try Folder()
        let daemon = try folder.probe()
        #expect(try !daemon.ask("NEW a trapper").isError)
        #expect(FileManager.default.fileExists(atPath: folder.flight))
        #expect(daemon.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.flight))
    }

    @Test func `A trap in a session that is not on disk yet is reported as such`() throws {
        let folder = try Folder()
        let daemon = try folder.probe()
        #expect(try !daemon.ask("NEW other turns").isError)
        try daemon.trap(#"NEW a trapper '{"state":"buried","mine":{"depth":1}}'"#)
        let next = try folder.probe()
        #expect(try next.setAsideNames() == [])
        #expect(next.errors.contains("it died while NEW was executed on a session that is not on disk"), "\(next.errors)")
        #expect(try next.ask("NEW a turns").text == "first")
    }
}
