// Acts out docs/TROUBLE.md: something breaks, an operator sees it in gamectl and follows the page, and nothing is lost.

import Foundation
import TestSupport
import Testing

@Suite struct `An operator who follows the guide` {
    private func gamectl(_ folder: Folder, _ words: String..., with faults: Faults? = nil) throws -> (
        output: String, status: Int32
    ) {
        let settings = (faults?.environment ?? [:]).map { "\($0.key)=\($0.value)" }
        let program = productsDirectory.appending(path: "gamectl").path
        return try run("env", settings + [program, "--socket", folder.socket] + words)
    }

    /// Returns the doctor's first finding about one subject, or "nothing".
    private func doctor(_ folder: Folder, about subject: String) throws -> String {
        let lines = try gamectl(folder, "doctor", "--within", "60s").output.split(separator: "\n").map(String.init)
        let first = lines.firstIndex { $0.dropFirst(6).hasPrefix(subject) && !$0.hasPrefix("ok") }
        return first.map { lines[$0...].prefix(2).joined(separator: "\n") } ?? "nothing"
    }

    /// A daemon with a session whose player has had one turn.
    private func started(_ machine: FaultyMachine, _ words: [String] = []) throws -> RunningDaemon {
        let daemon = try machine.start(["--durability", "always"] + words)
        #expect(try daemon.ask("NEW room turns").text == "first")
        #expect(try daemon.ask("SEND room pass").text == "second")
        return daemon
    }

    private func files(_ folder: Folder, _ script: String) throws {
        let said = try run("sh", ["-ec", "cd '\(folder.path)'; \(script)"])
        try #require(said.status == 0, "\(said.output)")
    }

    @Test func `The health and doctor commands report no problem of a healthy daemon`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try started(machine)
        let health = try gamectl(machine.folder, "health")
        #expect(health == ("healthy\n", 0), "\(health)")
        let said = try gamectl(machine.folder, "doctor").output
        for word in [
            "daemon", "version", "journal", "data", "disk", "sessions", "flows", "limits", "clients", "timers", "clock",
        ] {
            #expect(said.split(separator: "\n").contains { $0.dropFirst(6).hasPrefix(word) }, "\(word): \(said)")
        }
        #expect(!said.contains("BAD"), "\(said)")
        daemon.stop()
    }

    @Test func `A daemon continues by itself once an operator has freed space on a full disk`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try started(machine)
        machine.faults.fail(writing: .full)
        #expect(try daemon.ask("SEND room pass").code == .journal)
        let health = try gamectl(machine.folder, "health")
        #expect(health.status == 1 && health.output.contains("the disk is full"), "\(health)")
        #expect(try doctor(machine.folder, about: "journal").hasPrefix("BAD"))
        machine.faults.repair()
        #expect(try eventually { try gamectl(machine.folder, "health").status == 0 })
        #expect(try eventually { try daemon.ask("SEND room pass").text == "first" })
        daemon.killIt()
        #expect(try machine.start().ask("STATE room")["state"]?.text == "first")
    }

    @Test func `The health command reports a disk that blocks writes, and not one that was only idle`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try machine.start(["--durability", "everysec"])
        #expect(try daemon.ask("NEW room turns").text == "first")
        #expect(try eventually { try gamectl(machine.folder, "health").status == 0 })
        machine.faults.shift(boot: .seconds(60))
        #expect(try daemon.ask("SEND room pass").text == "second")
        #expect(try gamectl(machine.folder, "health").status == 0, "a minute later")
        // What is being written would count as written after the next two minutes.
        #expect(try eventually { try daemon.ask("INFO persistence").text?.contains("journal_backlog_bytes:0\r\n") == true })
        machine.faults.isBlocked = true
        machine.faults.shift(boot: .seconds(120))
        #expect(try daemon.ask("SEND room pass").text == "first")
        let blocked = try gamectl(machine.folder, "health")
        #expect(blocked.status == 1 && blocked.output.contains("the disk has written nothing for"), "\(blocked)")
        machine.faults.isBlocked = false
        #expect(try eventually { try gamectl(machine.folder, "health").status == 0 })

        var minutes = 2
        // The command waits 2 s for the disk, and on a busy machine the thread may need longer.
        let status = try again(while: { $0 != 0 }) {
            minutes += 1
            machine.faults.isBlocked = true
            machine.faults.shift(boot: .seconds(minutes * 60))
            #expect(try !daemon.ask("SEND room pass").isError)
            nonisolated(unsafe) let disk = machine.faults
            Thread.detachNewThread {
                usleep(200_000)
                disk.isBlocked = false
            }
            let status = try gamectl(machine.folder, "health").status
            #expect(eventually { !machine.faults.isBlocked })
            #expect(try eventually { try gamectl(machine.folder, "health").status == 0 })
            return status
        }
        #expect(status == 0, "the write was only pending")
        daemon.stop()
    }

    @Test func `An operator replaces a damaged database with a backup`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try started(machine)
        let folder = machine.folder
        let backup = try gamectl(folder, "backup", folder.path + "/monday.db")
        #expect(backup.status == 0, "\(backup.output)")
        #expect(try daemon.ask("SEND room pass").text == "first")
        #expect(daemon.stop() == 0)
        try files(
            folder, "printf 'damage' | dd of=data/gamed.db bs=1 seek=8300 conv=notrunc status=none; rm -f data/gamed.db-wal")
        try files(folder, "head -c 6000 data/gamed.db > cut && cat cut > data/gamed.db")
        let refused = try machine.launch()
        #expect(refused.waitForStatus() == 74)
        #expect(refused.errors.contains("damaged"), "\(refused.errors)")
        #expect(try gamectl(folder, "health").status == 2)
        try files(folder, "aside=$(mktemp -d data/aside.XXXXXX); mv data/gamed.* $aside; cp monday.db data/gamed.db")
        let restored = try machine.start()
        #expect(try restored.ask("STATE room")["state"]?.text == "second", "as it was on Monday")
        #expect(try gamectl(folder, "health").status == 0)
        restored.stop()
    }

    @Test func `A daemon starts from a backup in a new directory`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try started(machine)
        let folder = machine.folder
        #expect(try gamectl(folder, "backup", folder.path + "/monday.db").status == 0)
        #expect(daemon.stop() == 0)
        try files(folder, "mkdir -m 700 restored; cp monday.db restored/gamed.db")
        let restored = try RunningDaemon(keepingIn: folder, data: folder.path + "/restored")
        try #require(restored.waitUntilUp(), "\(restored.errors)")
        #expect(try restored.ask("STATE room")["version"]?.integer == 1)
        #expect(try restored.ask("HISTORY room").list.count == 2)
        restored.stop()
    }

    @Test func `A clock that jumps needs no repair, and the doctor reports one that was never set`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try started(machine)
        let left = try #require(try daemon.ask("TIMERS room").list.first?["remaining_ms"]?.integer)
        machine.faults.shift(wall: .seconds(7 * 86_400))
        let after = try #require(try daemon.ask("TIMERS room").list.first?["remaining_ms"]?.integer)
        #expect((left - 20_000...left).contains(after))
        #expect(try gamectl(machine.folder, "health").status == 0)
        machine.faults.shift(wall: .seconds(-30 * 365 * 86_400))
        let said = try gamectl(machine.folder, "doctor", with: machine.faults).output
        #expect(said.contains("this machine's date is before 2025"), "\(said)")
        daemon.stop()
    }

    @Test func `An operator fixes a flow file that does not load, while its sessions continue`() throws {
        let machine = try FaultyMachine(Folder())
        let (folder, file) = (machine.folder, machine.folder.path + "/door.json5")
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
        let door = #"{ id: "door", initial: "closed", states: { closed: { on: { open: "opened" } }, opened: {} } }"#
        try write(door)
        let daemon = try machine.start(["--durability", "always", "--flows", file])
        #expect(try daemon.ask("NEW entrance door").text == "closed")
        try write(door.replacingOccurrences(of: #""opened" }"#, with: #""opnd" }"#))
        #expect(try doctor(folder, about: "flows").hasPrefix("BAD"))
        #expect(try gamectl(folder, "reload").status == 1)
        #expect(try daemon.ask("SEND entrance open").text == "opened", "the loaded flow continues")
        #expect(daemon.stop() == 0)
        let refused = try machine.launch(["--flows", file])
        #expect(refused.waitForStatus() == 65)
        let gamed = productsDirectory.appending(path: "gamed").path
        let check = try run(gamed, ["--socket", folder.socket, "--data", folder.data, "--flows", file, "--check"])
        #expect(check.status == 65 && check.output.contains("door.json5:1:"), "\(check)")
        try write(door)
        let next = try machine.start(["--flows", file])
        #expect(try next.ask("STATE entrance")["state"]?.text == "opened")
        next.stop()
    }

    @Test func `An operator fixes a flow whose timers fire in a cycle, and resumes its stopped session`() throws {
        let machine = try FaultyMachine(Folder())
        let file = machine.folder.path + "/circle.json5"
        func write(_ delay: String) throws {
            let flow =
                #"{id:"circle",events:{go:{}},initial:"a",states:{a:{on:{go:"b"}},b:{after:{"\#(delay)":"c"}},c:{after:{"\#(delay)":"b"}}}}"#
            try Data(flow.utf8).write(to: URL(fileURLWithPath: file))
        }
        try write("0s")
        let daemon = try started(machine, ["--flows", file])
        for line in ["NEW round circle", "SEND round go"] { #expect(try !daemon.ask(line).isError) }
        #expect(try eventually { try doctor(machine.folder, about: "sessions").hasPrefix("BAD") })
        #expect(try doctor(machine.folder, about: "sessions").contains("gamectl sessions --state '!stopped'"))
        #expect(try gamectl(machine.folder, "sessions", "--state", "!stopped") == ("round\n", 0))
        #expect(try gamectl(machine.folder, "state", "round").output.contains("stopped  the daemon stopped its clock"))
        try write("10s")
        #expect(try gamectl(machine.folder, "reload").status == 0)
        #expect(try gamectl(machine.folder, "sessions", "--state", "!stopped").output == "round\n", "a reload starts nothing")
        #expect(try gamectl(machine.folder, "resume", "round").status == 0)
        #expect(try doctor(machine.folder, about: "sessions") == "nothing")
        daemon.stop()
    }

    @Test func `An operator raises the limit of a daemon out of descriptors, which still serves its clients`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try started(machine)
        let client = try daemon.client()
        let process = try #require(
            try client.ask("INFO server").text?.split(separator: "\r\n").first { $0.hasPrefix("process_id:") })
        let limit = { (count: Int) in
            _ = try run("prlimit", ["--pid", String(process.dropFirst(11)), "--nofile=\(count):"])
        }
        try limit(40)
        #expect(try doctor(machine.folder, about: "limits").contains("LimitNOFILE="))
        let crowd = try (0..<60).map { _ in try daemon.client() }
        #expect(daemon.complains("cannot accept connections for now"))
        #expect(try gamectl(machine.folder, "health", "--within", "300ms").status == 2, "it cannot connect")
        #expect(try client.ask("SEND room pass").text == "first", "connected clients are still served")
        try limit(4_096)
        #expect(try eventually { try gamectl(machine.folder, "health", "--within", "2s").status == 0 })
        withExtendedLifetime(crowd) {}
        #expect(daemon.stop() == 0)
    }

    @Test func `The health and doctor commands report a daemon that hangs or is not running`() throws {
        let machine = try FaultyMachine(Folder())
        let daemon = try started(machine)
        daemon.signal(SIGSTOP)
        let hangs = try gamectl(machine.folder, "health", "--within", "300ms")
        #expect(hangs.status == 2 && hangs.output.contains("does not answer"), "\(hangs)")
        daemon.signal(SIGCONT)
        #expect(try gamectl(machine.folder, "health").status == 0)
        daemon.killIt()
        let gone = try gamectl(machine.folder, "doctor")
        #expect(gone.status == 2 && gone.output.contains("BAD   daemon"), "\(gone)")
    }
}
