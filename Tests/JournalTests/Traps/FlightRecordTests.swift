// The flight record: with any damage to the file, the daemon starts, or prints the reason that it does not.

import Foundation
import TestSupport
import Testing

@Suite struct `The flight record` {
    /// A directory whose flight record says that `a` has trapped.
    private func trapped() throws -> Folder {
        let folder = try Folder()
        try folder.probe().trap("NEW other turns", "NEW a trapper", "SEND a count", "SEND a trap illegal")
        return folder
    }

    private func write(_ bytes: Data, to folder: Folder) throws {
        try bytes.write(to: URL(fileURLWithPath: folder.flight))
    }

    private func expectNobody(_ folder: Folder, _ sentence: String?) throws {
        let daemon = try folder.probe()
        if let sentence { #expect(daemon.errors.contains(sentence), "\(daemon.errors)") }
        #expect(try daemon.setAsideNames() == [])
        // The new one works.
        try daemon.trap("SEND a trap illegal")
        #expect(try folder.probe().quarantines("a", "the daemon died while 'a' handled 'trap'"))
    }

    @Test func `A flight record that is missing is created`() throws {
        let folder = try trapped()
        try FileManager.default.removeItem(atPath: folder.flight)
        try expectNobody(folder, nil)
    }

    @Test(arguments: [0, 20, 55, 100, 4_095])
    func `A flight record that is cut off is created again, and the daemon says so`(length: Int) throws {
        let folder = try trapped()
        let bytes = try #require(folder.contents["gamed.flight"])
        // Bytes after the names do not count.
        let names = Int(bytes.withUnsafeBytes { $0.load(fromByteOffset: 12, as: UInt32.self) })
        try write(bytes.prefix(length), to: folder)
        guard length < 56 + names else {
            return #expect(try folder.probe().quarantines("a", "the daemon died while 'a' handled 'trap'"))
        }
        try expectNobody(folder, "gamed.flight is damaged (it is cut off)")
    }

    @Test(arguments: [
        (0, "it belongs to another program"), (8, "it belongs to another program"), (24, "it does not match its checksum"),
        (200, "it does not match its checksum"),
    ])
    func `A flight record that is damaged is created again, and the daemon says so`(offset: Int, how: String) throws {
        let folder = try trapped()
        var bytes = try #require(folder.contents["gamed.flight"])
        bytes[offset] ^= 0x10
        try write(bytes, to: folder)
        try expectNobody(folder, "gamed.flight is damaged (\(how))")
    }

    /// An invalid number, in the mark and in the signal.
    @Test(arguments: [32..<40, 40..<44])
    func `A flight record with an invalid mark quarantines no session`(offsets: Range<Int>) throws {
        let folder = try trapped()
        var bytes = try #require(folder.contents["gamed.flight"])
        for offset in offsets { bytes[offset] = 0xEE }
        try write(bytes, to: folder)
        let daemon = try folder.probe()
        #expect(try daemon.setAsideNames() == (offsets.lowerBound == 32 ? [] : ["a"]))
    }

    @Test func `A flight record of another database is ignored, and the daemon says so`() throws {
        let (folder, other) = (try trapped(), try Folder())
        let daemon = try other.probe()
        for line in ["NEW x turns", "NEW y turns"] { #expect(try !daemon.ask(line).isError) }
        daemon.killIt()
        try FileManager.default.removeItem(atPath: other.flight)
        try FileManager.default.copyItem(atPath: folder.flight, toPath: other.flight)
        let next = try other.probe()
        #expect(try next.setAsideNames() == [])
        #expect(next.errors.contains("gamed.flight belongs to another database"), "\(next.errors)")
    }

    @Test func `A directory or a symbolic link in place of the flight record prevents the start, with an error`() throws {
        let folder = try trapped()
        try FileManager.default.removeItem(atPath: folder.flight)
        try FileManager.default.createDirectory(atPath: folder.flight, withIntermediateDirectories: false)
        let refused = try folder.startProbe()
        #expect(refused.waitForStatus() == 78)
        #expect(
            refused.errors.contains("\(folder.flight) is not a regular file; the daemon keeps its own file there"),
            "\(refused.errors)")
        try FileManager.default.removeItem(atPath: folder.flight)
        try FileManager.default.createSymbolicLink(atPath: folder.flight, withDestinationPath: folder.path + "/elsewhere")
        let again = try folder.startProbe()
        #expect(again.waitForStatus() == 78)
        #expect(again.errors.contains("\(folder.flight) cannot be read: Too many levels of symbolic links"), "\(again.errors)")
        try FileManager.default.removeItem(atPath: folder.flight)
        try expectNobody(folder, nil)
    }

    @Test func `A daemon that cannot create a flight record runs without one, and says so`() throws {
        let folder = try trapped()
        try FileManager.default.createDirectory(atPath: folder.flight + ".new", withIntermediateDirectories: false)
        let daemon = try folder.probe()
        #expect(
            daemon.errors.contains("a session that traps will not be quarantined: cannot create \(folder.flight)"),
            "\(daemon.errors)")
        #expect(try daemon.quarantines("a", "the daemon died while 'a' handled 'trap'"))
        #expect(try daemon.ask("SEND other pass").text == "second")
        daemon.killIt()
        #expect(try folder.probe().setAsideNames() == ["a"], "and an earlier trap is not reported again")
    }

    @Test func `A flight record that only its owner may read is read`() throws {
        let folder = try trapped()
        chmod(folder.flight, 0o400)
        #expect(try folder.probe().quarantines("a", "the daemon died while 'a' handled 'trap'"))
    }

    /// The file is truncated under a daemon that has it mapped.
    @Test func `A flight record truncated while in use does not crash the daemon`() throws {
        let folder = try Folder()
        let daemon = try folder.probe()
        #expect(try !daemon.ask("NEW a trapper").isError)
        truncate(folder.flight, 0)
        for _ in 0..<3 { #expect(try daemon.ask("SEND a count").text == "calm") }
        #expect(daemon.stop() == 0)
        #expect(try folder.probe().ask("STATE a")["version"]?.integer == 3)
    }

    @Test func `A flight record belongs to one daemon, and a refused second daemon does not change it`() throws {
        let (one, other) = (try Folder(), try Folder())
        let (first, second) = (try one.probe(), try other.probe())
        for daemon in [first, second] { #expect(try daemon.ask("NEW a trapper").text == "calm") }
        let third = try RunningDaemon(keepingIn: one, ["--socket", one.path + "/third.sock"], program: "trap-probe")
        #expect(third.waitForStatus() == 78)
        try first.trap("SEND a trap illegal")
        #expect(try second.ask("SEND a count").text == "calm")
        second.killIt()
        #expect(try one.probe().setAsideNames() == ["a"])
        #expect(try other.probe().setAsideNames() == [])
    }
}

@Suite struct `A trap on a disk that fails` {
    @Test(arguments: [Faults.Failure.full, .broken], ["always", "everysec"])
    func `A trap on a failing disk is known after the repair, and no acknowledged change is lost`(
        failure: Faults.Failure, durability: String
    ) throws {
        let machine = try FaultyMachine(Folder())
        let words = ["--durability", durability]
        let quiet = ["SWIFT_BACKTRACE": "enable=no"]
        let daemon = try machine.launch(words, environment: quiet, program: "trap-probe")
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        for line in ["NEW other turns", "NEW a trapper", "SEND a count"] { #expect(try !daemon.ask(line).isError, "\(line)") }
        // Waits until all of it is durable.
        if durability == "everysec" { usleep(300_000) }
        #expect(try daemon.ask("SEND a enter glass").text == "glass")
        #expect(try eventually { try daemon.ask("INFO persistence").text?.contains("journal_backlog_bytes:0") == true })
        machine.faults.fail(writing: failure)
        try daemon.trap("STATE a")
        // A start that could not set it aside does not try it.
        let failing = try machine.launch(words, environment: quiet, program: "trap-probe")
        #expect(failing.waitForStatus() == 74, "\(failing.errors)")
        machine.faults.repair()
        let next = try machine.launch(words, environment: quiet, program: "trap-probe")
        try #require(next.waitUntilUp(), "\(next.errors)")
        #expect(try next.quarantines("a", "the daemon died while STATE read 'a'"), "\(next.errors)")
        #expect(try next.events(of: "a") == ["enter", "count"])
        #expect(try next.ask("STATE other")["state"]?.text == "first")
    }
}
