// The data directory is taken away while the daemon runs: nothing is acknowledged that the next start would not find.

import Foundation
import TestSupport
import Testing

@Suite final class `A data directory under a running daemon` {
    private var folder: Folder
    private let manager = FileManager.default

    init() throws { folder = try Folder() }

    private func daemon(_ durability: String) throws -> RunningDaemon {
        let daemon = try RunningDaemon(keepingIn: folder, ["--durability", durability, "--session", "room=turns"])
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        #expect(try daemon.ask("SEND room pass").text == "second")
        let isWritten = "journal_backlog_bytes:0\r\n"
        #expect(try eventually { try daemon.ask("INFO persistence").text?.contains(isWritten) == true })
        return daemon
    }

    /// Damages the data directory of a daemon, and returns the daemon. Expects that changes are refused with an error, and that
    /// reads are served: at once with `always`, else within 3 s. If a busy machine was later, a daemon in a new folder has to.
    private func refusing(
        _ durability: String, _ sentence: @autoclosure () -> String,
        advice: String = "restore the original file, or stop the daemon", after damage: () throws -> Void
    ) throws -> RunningDaemon {
        let refusal = try again(while: { $0.seconds >= 3 }) {
            folder = try Folder()
            let daemon = try daemon(durability)
            try damage()
            let (answer, seconds) = try firstRefusal(daemon, durability)
            return (daemon: daemon, answer: answer, seconds: seconds)
        }
        #expect(refusal.seconds < 3)
        #expect(refusal.answer.code == .journal, "\(refusal.answer)")
        try expectRefusal(refusal.daemon, sentence(), advice)
        return refusal.daemon
    }

    /// Returns the first reply that is an error, and how long it took after the first reply. With `always`, the two are the same.
    private func firstRefusal(_ daemon: RunningDaemon, _ durability: String) throws -> (Answer, seconds: Double) {
        let client = try daemon.client()
        var answer = try client.ask("SEND room pass")
        if durability == "always" { return (answer, 0) }
        let begin = Date()
        while answer.code == nil, Date() < begin + 10 {
            usleep(20_000)
            answer = try client.ask("SEND room pass")
        }
        return (answer, Date().timeIntervalSince(begin))
    }

    private func expectRefusal(_ daemon: RunningDaemon, _ sentence: String, _ advice: String) throws {
        let client = try daemon.client()
        var answer = try client.ask("SEND room pass")
        // The periodic check may run in the middle of this.
        _ = try eventually(within: 2) {
            answer = try client.ask("SEND room pass")
            return answer.sentence?.contains(sentence) == true
        }
        #expect(answer.sentence?.contains(sentence) == true, "\(answer)")
        #expect(answer.sentence?.contains(advice) == true, "\(answer)")
        #expect(try client.ask("SEND room pass").code == .journal, "and it stays so")
        #expect(try client.ask("STATE room")["flow"]?.text == "turns")
        #expect(try client.ask("INFO persistence").text?.contains("journal_status:failing\r\n") == true)
    }

    private func expectToContinue(_ daemon: RunningDaemon) throws {
        let client = try daemon.client()
        #expect(try eventually { try !client.ask("SEND room pass").isError })
        #expect(daemon.complains("the journal can be written again"))
        let state = try client.ask("STATE room")["version"]?.integer
        daemon.killIt()
        let next = try RunningDaemon(keepingIn: folder)
        try #require(next.waitUntilUp(), "\(next.errors)")
        #expect(try next.ask("STATE room")["version"]?.integer == state)
    }

    @Test(arguments: ["gamed.lock", "gamed.lock anew", "gamed.mark", "all"])
    func `A data directory in use is refused to a second daemon, even if its lock file is deleted`(deleted: String) throws {
        let daemon = try daemon("always")
        switch deleted {
        case "all":
            for name in try manager.contentsOfDirectory(atPath: folder.data) {
                try manager.removeItem(atPath: "\(folder.data)/\(name)")
            }
        case "gamed.lock anew":
            try manager.removeItem(atPath: folder.data + "/gamed.lock")
            try "1\n".write(toFile: folder.data + "/gamed.lock", atomically: false, encoding: .utf8)
        default: try manager.removeItem(atPath: "\(folder.data)/\(deleted)")
        }
        for check in [[], ["--check"]] {
            let second = try RunningDaemon(
                keepingIn: folder, ["--durability", "always", "--socket", folder.path + "/other.sock"] + check)
            #expect(second.waitForStatus() == 78)
            #expect(second.errors.contains("keeps its sessions here: \(folder.data)"), "\(second.errors)")
        }
        if deleted == "all" { return }
        #expect(try daemon.ask("SEND room pass").text == "first")
        daemon.killIt()
        let next = try RunningDaemon(keepingIn: folder)
        try #require(next.waitUntilUp(), "\(next.errors)")
        #expect(try next.ask("STATE room")["version"]?.integer == 2)
    }

    @Test(arguments: [true, false])
    func `A start with too few descriptors ends with status 78 and says what to raise`(hasDatabase: Bool) throws {
        #expect(try daemon("always").stop() == 0)
        var hasStarted: [Bool] = []
        for count in [6, 8] + Array(10...50) {
            let daemon = try RunningDaemon(
                ["--socket", folder.socket, "--data", hasDatabase ? folder.data : "none", "--http", "127.0.0.1:0"],
                maxDescriptors: count, unprobed: "it may not start")
            hasStarted.append(daemon.waitUntilUp())
            if daemon.isRunning {
                #expect(daemon.stop() == 0, "\(count): \(daemon.errors)")
            } else {
                #expect(daemon.waitForStatus() == 78, "\(count): \(daemon.errors)")
                #expect(daemon.errors.contains("the limit of open files is \(count)"), "\(daemon.errors)")
            }
        }
        #expect(hasStarted.first == false && hasStarted.last == true)
    }

    @Test func `A check with too few descriptors ends with status 78 and says what to raise`() throws {
        #expect(try daemon("always").stop() == 0)
        for count in 6...40 {
            let check = try RunningDaemon(
                ["--socket", folder.socket, "--data", folder.data, "--check"], maxDescriptors: count, unprobed: "it ends")
            if check.waitForStatus() == 0, count > 32 { continue }
            #expect(check.waitForStatus() == 78, "\(count): \(check.errors)")
            #expect(check.errors.contains("the limit of open files is \(count)"), "\(count): \(check.errors)")
        }
    }

    /// A custom flow may start a program. The locks end with the daemon, and not with its child processes.
    @Test func `A data directory is locked with descriptors that no child process inherits`() throws {
        let daemon = try daemon("always")
        let descriptors = "/proc/\(daemon.processID)/fd"
        var locks: [String] = []
        for number in try manager.contentsOfDirectory(atPath: descriptors) {
            let target = (try? manager.destinationOfSymbolicLink(atPath: "\(descriptors)/\(number)")) ?? ""
            guard target == folder.data || target == folder.data + "/gamed.lock" else { continue }
            locks.append(target)
            let info = try String(contentsOfFile: "/proc/\(daemon.processID)/fdinfo/\(number)", encoding: .utf8)
            let flags = info.split(separator: "\n").first { $0.hasPrefix("flags:") }?.split(whereSeparator: \.isWhitespace).last
            #expect((Int(flags ?? "", radix: 8) ?? 0) & Int(O_CLOEXEC) != 0, "\(info)")
        }
        #expect(Set(locks) == [folder.data, folder.data + "/gamed.lock"])
    }

    @Test(arguments: ["always", "everysec"])
    func `A daemon whose data directory is removed refuses changes, and exits with status 74`(durability: String) throws {
        let daemon = try refusing(durability, "\(folder.database) is gone") { try manager.removeItem(atPath: folder.data) }
        #expect(daemon.stop() == 74)
        #expect(!manager.fileExists(atPath: folder.data), "nothing is made in its place")
    }

    @Test(arguments: ["always", "everysec"])
    func `A daemon whose data directory is moved away reports that although nothing changes`(durability: String) throws {
        let daemon = try daemon(durability)
        try manager.moveItem(atPath: folder.data, toPath: folder.path + "/elsewhere")
        let failing = "journal_status:failing\r\njournal_failure:\(folder.database) is gone"
        #expect(try eventually { try daemon.ask("INFO persistence").text?.contains(failing) == true })
        try manager.moveItem(atPath: folder.path + "/elsewhere", toPath: folder.data)
        let fine = "journal_status:ok\r\njournal_failure:\r\n"
        #expect(try eventually { try daemon.ask("INFO persistence").text?.contains(fine) == true })
        #expect(daemon.stop() == 0)
    }

    @Test(arguments: ["always", "everysec"])
    func `A daemon whose data directory is moved away refuses changes until it is back`(durability: String) throws {
        let daemon = try refusing(durability, "\(folder.database) is gone") {
            try manager.moveItem(atPath: folder.data, toPath: folder.path + "/elsewhere")
        }
        try manager.moveItem(atPath: folder.path + "/elsewhere", toPath: folder.data)
        if durability == "always" { return try expectToContinue(daemon) }
        #expect(try eventually { try !daemon.ask("SEND room pass").isError })
    }

    @Test func `A daemon whose data directory cannot be searched reports the reason, and continues when it can`() throws {
        let daemon = try refusing(
            "always", "\(folder.database) cannot be found: Too many levels of symbolic links",
            advice: "correct that, and the daemon resumes automatically"
        ) {
            try manager.moveItem(atPath: folder.data, toPath: folder.path + "/elsewhere")
            try manager.createSymbolicLink(atPath: folder.data, withDestinationPath: folder.data)
        }
        try manager.removeItem(atPath: folder.data)
        try manager.moveItem(atPath: folder.path + "/elsewhere", toPath: folder.data)
        try expectToContinue(daemon)
    }

    @Test(arguments: ["always", "everysec"])
    func `A daemon whose data directory is replaced refuses changes, and spares the new one`(durability: String) throws {
        var second: RunningDaemon?
        let daemon = try refusing(durability, "\(folder.database) has been replaced") {
            try manager.moveItem(atPath: folder.data, toPath: folder.path + "/elsewhere")
            let other = try RunningDaemon(
                keepingIn: folder,
                ["--durability", "always", "--socket", folder.path + "/other.sock", "--session", "mine=turns"])
            second = other
            try #require(other.waitUntilUp(), "\(other.errors)")
        }
        let other = try #require(second)
        #expect(daemon.stop() == 74)
        let client = try TestClient(folder.path + "/other.sock")
        #expect(try client.ask("SEND mine pass").text == "second")
        other.killIt()
        let next = try RunningDaemon(keepingIn: folder)
        try #require(next.waitUntilUp(), "\(next.errors)")
        #expect(try next.ask("STATE mine")["state"]?.text == "second", "its log is still there")
        #expect(next.stop() == 0)
        // The moved directory has everything that was acknowledged.
        try manager.removeItem(atPath: folder.data)
        try manager.moveItem(atPath: folder.path + "/elsewhere", toPath: folder.data)
        let moved = try RunningDaemon(keepingIn: folder)
        try #require(moved.waitUntilUp(), "\(moved.errors)")
        #expect(try moved.ask("STATE room")["version"]?.integer ?? 0 >= 1)
    }

    @Test(arguments: ["always", "everysec"])
    func `A daemon whose log file is deleted refuses changes, and keeps those from before`(durability: String) throws {
        let daemon = try refusing(durability, "\(folder.log) is gone") { try manager.removeItem(atPath: folder.log) }
        #expect(daemon.stop() == 74)
        let next = try RunningDaemon(keepingIn: folder)
        try #require(next.waitUntilUp(), "\(next.errors)")
        #expect(try next.ask("STATE room")["version"]?.integer ?? 0 >= 1)
    }
}
