// Random damage to every file of a data directory: each start restores exactly what was acknowledged, or refuses with an error.

import Foundation
import RESP
import Seeds
import TestSupport
import Testing
@testable import Commands
@testable import Devices
@testable import GameDaemon
@testable import Posix
@testable import SQLiteStore
@testable import Store

/// A directory after its daemon ended, and what was acknowledged by then.
private struct EndedDirectory {
    let name: String
    let folder: Folder
    let durability: Durability
    let contents: [Reply]

    init(_ durability: Durability, isClean: Bool) throws {
        name = "\(isClean ? "clean" : "crashed"), \(durability)"
        self.durability = durability
        let lived = try Folder()
        var daemon = try DirectoryDaemon(lived, durability)
        daemon.createSessions(300)
        try daemon.finish()
        daemon = try DirectoryDaemon(lived, durability)
        daemon.sendEvents(80)
        try daemon.waitUntilDurable()
        contents = daemon.contents
        if isClean { try daemon.finish() }
        folder = try lived.copy()
        if !isClean { try daemon.finish() }
    }
}

extension Folder {
    /// The data directory as it is now, elsewhere.
    func copy() throws -> Folder {
        let copy = try Folder()
        try FileManager.default.createDirectory(atPath: copy.data, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: data) where !name.hasSuffix("-shm") {
            try FileManager.default.copyItem(atPath: data + "/" + name, toPath: copy.data + "/" + name)
        }
        return copy
    }
}

/// Something that happens to a file.
private enum Damage: CaseIterable {
    case changedByte, flippedBit, zeroes, truncation, swappedPages, rubbishBehind, removal

    /// Applies it, and returns a description.
    func apply(to path: String, _ random: inout SeededGenerator) throws -> String {
        let name = path.split(separator: "/").last ?? ""
        var bytes = FileManager.default.contents(atPath: path) ?? Data()
        guard !bytes.isEmpty else { return "nothing" }
        let offset = Self.offset(in: bytes.count, &random)
        switch self {
        case .changedByte: bytes[offset] = UInt8.random(in: 0...255, using: &random)
        case .flippedBit: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .zeroes:
            let end = min(bytes.count, offset + Int.random(in: 1...8_192, using: &random))
            bytes.replaceSubrange(offset..<end, with: Data(count: end - offset))
        case .truncation: bytes = bytes.prefix(offset)
        case .swappedPages:
            guard bytes.count > 8_192 else { return "nothing" }
            let pages = (0..<2).map { _ in Int.random(in: 0..<bytes.count / 4_096, using: &random) * 4_096 }
            let (one, other) = (bytes[pages[0]..<pages[0] + 4_096], bytes[pages[1]..<pages[1] + 4_096])
            bytes.replaceSubrange(pages[0]..<pages[0] + 4_096, with: Data(other))
            bytes.replaceSubrange(pages[1]..<pages[1] + 4_096, with: Data(one))
        case .rubbishBehind:
            bytes += (0..<Int.random(in: 1...9_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        case .removal:
            try FileManager.default.removeItem(atPath: path)
            return "\(name) removed"
        }
        try bytes.write(to: URL(fileURLWithPath: path))
        return "\(name), \(self) at \(offset)"
    }

    /// Structure is denser at the beginning of the file and of each page.
    private static func offset(in count: Int, _ random: inout SeededGenerator) -> Int {
        let offset = Int.random(in: 0..<count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return min(count - 1, Int.random(in: 0..<128, using: &random))
        case 1: return min(count - 1, offset / 4_096 * 4_096 + Int.random(in: 0..<64, using: &random))
        default: return offset
        }
    }
}

@Suite(.serialized) struct `Random damage` {
    /// `make soak` asks for more.
    private static let rounds = ProcessInfo.processInfo.environment["GAMED_DAMAGES"].flatMap(Int.init)

    private static let files = ["gamed.db", "gamed.db", "gamed.db-wal", "gamed.db-wal", "gamed.mark", "gamed.lock"]

    @Test func `Random damage to a data directory is refused or reported, unless nothing is lost`() throws {
        let rounds = Self.rounds ?? 100
        var random = SeededGenerator.announced("random damage", seed: Self.rounds == nil ? 61 : UInt64.random(in: 1...999_999))
        let all = try [Durability.always, .everysec].flatMap {
            try [EndedDirectory($0, isClean: true), EndedDirectory($0, isClean: false)]
        }
        var (refused, told, whole) = (0, 0, 0)
        for round in 0..<rounds {
            let ended = all[round % all.count]
            let folder = try ended.folder.copy()
            let file = try #require(Self.files.randomElement(using: &random))
            let damage = try #require(Damage.allCases.randomElement(using: &random)).apply(
                to: folder.data + "/" + file, &random)
            let comment = "round \(round), \(ended.name): \(damage)"
            do {
                let daemon = try DirectoryDaemon(folder, ended.durability)
                let isWhole = daemon.contents == ended.contents
                if isWhole { whole += 1 } else { told += 1 }
                #expect(isWhole || !daemon.logged.isEmpty, "\(comment): lost without a word")
                try daemon.finish()
            } catch {
                refused += 1
                #expect((error as? StoreError)?.description.count ?? 0 > 20, "\(comment): \(error)")
                try expectAcceptance(folder, ended, comment)
            }
        }
        print("of \(rounds) damages \(whole) cost nothing, \(refused) were refused, \(told) were told")
    }

    /// With the option it starts and logs the loss, unless SQLite itself cannot read the file.
    private func expectAcceptance(_ folder: Folder, _ ended: EndedDirectory, _ comment: String) throws {
        do {
            let daemon = try DirectoryDaemon(folder, ended.durability, acceptsLoss: true)
            #expect(!daemon.logged.isEmpty, "\(comment)")
            _ = daemon.run("NEW another turns")
            try daemon.finish()
            let next = try DirectoryDaemon(folder, ended.durability)
            #expect(next.daemon.sessions.count == daemon.daemon.sessions.count, "\(comment): what was accepted is whole")
            try next.finish()
        } catch {
            #expect(error is StoreError, "\(comment), accepted: \(error)")
        }
    }
}

@Suite struct `A log that was damaged after its checkpoint` {
    @Test func `A start moves a log damaged after its checkpoint aside, and restores all sessions`() throws {
        let ended = try EndedDirectory(.always, isClean: false)
        let store = try SQLiteStore(
            directory: ended.folder.data, durability: .always, historyCapacity: 1_000_000, boot: TurnClock.bootID)
        try store.probe()
        try store.opened.wal.checkpoint(minPages: 1)
        // As a kill would leave it: the log is not restarted.
        let killed = try ended.folder.copy()
        try store.close()
        let log = try #require(killed.contents["gamed.db-wal"])
        for part in 1...5 {
            let folder = try killed.copy()
            var broken = log
            broken[log.count * part / 6] ^= 1
            try broken.write(to: URL(fileURLWithPath: folder.log))
            let daemon = try DirectoryDaemon(folder, ended.durability)
            #expect(daemon.contents == ended.contents, "damage \(part)")
            #expect(daemon.logged.contains { $0.contains("gamed.db-wal is damaged and was moved to") }, "\(daemon.logged)")
            #expect(folder.contents["gamed.db-wal.damaged-1"] == broken)
            try daemon.finish()
        }
    }
}

@Suite struct `A daemon whose files were damaged` {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Killed, with its newest changes in the log.
    private func kill(_ passes: Int) throws {
        let daemon = try RunningDaemon(keepingIn: folder)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        let client = try daemon.client()
        if try client.ask("STATE room").isError { #expect(try client.ask("NEW room turns").text == "first") }
        for _ in 0..<passes { #expect(try !client.ask("SEND room pass").isError) }
        daemon.killIt()
    }

    private func expectRefusal(_ sentence: String, _ words: [String] = []) throws {
        let before = contents
        let daemon = try RunningDaemon(keepingIn: folder, ["--durability", "always"] + words)
        #expect(daemon.waitForStatus() == 74, "\(daemon.errors)")
        #expect(
            daemon.errors.contains("\(folder.database) is damaged (") && daemon.errors.contains(sentence), "\(daemon.errors)")
        #expect(contents == before)
    }

    /// An empty log may be created.
    private var contents: [String: Data] {
        folder.contents.filter { !$0.key.hasSuffix("-shm") && $0.key != "gamed.flight" && !$0.value.isEmpty }
    }

    private func damageLog() throws {
        var log = try #require(folder.contents["gamed.db-wal"])
        log[log.count - 4_000] ^= 1
        try log.write(to: URL(fileURLWithPath: folder.log))
    }

    @Test func `A daemon with damaged files does not start until the loss is accepted, which counts for one start`() throws {
        try kill(5)
        try damageLog()
        try expectRefusal("the last batch of changes is missing, number 6")
        let damaged = folder.contents
        let daemon = try RunningDaemon(keepingIn: folder, ["--durability", "always", "--accept-loss"])
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        #expect(daemon.errors.contains("the last batch of changes is missing, number 6: accepted"), "\(daemon.errors)")
        #expect(daemon.errors.contains("the damaged files are kept as \(folder.database).damaged-1"), "\(daemon.errors)")
        #expect(try daemon.ask("STATE room")["version"]?.integer == 4)
        daemon.killIt()
        #expect(folder.contents["gamed.db.damaged-1-wal"] == damaged["gamed.db-wal"])
        #expect(folder.contents["gamed.db.damaged-1"] == damaged["gamed.db"])
        try kill(0)
        let again = try RunningDaemon(keepingIn: folder, ["--durability", "always", "--accept-loss"])
        try #require(again.waitUntilUp(), "it was not given for the last start")
        for _ in 0..<3 { _ = try again.ask("SEND room pass") }
        again.killIt()
        try damageLog()
        try expectRefusal("--accept-loss was used for the last start already: start once without it", ["--accept-loss"])
        try expectRefusal("is missing")
        let last = try RunningDaemon(keepingIn: folder, ["--durability", "always", "--accept-loss"])
        #expect(last.waitUntilUp(), "\(last.errors)")
    }

    @Test func `A damaged session is quarantined if the loss is accepted, and stays so over restarts`() throws {
        try kill(5)
        let daemon = try RunningDaemon(keepingIn: folder, ["--session", "other=turns"])
        try #require(daemon.waitUntilUp())
        #expect(daemon.stop() == 0)
        try folder.sql("UPDATE sessions SET version = 6 WHERE name = 'room'")
        try expectRefusal("the row 0 of its table 'sessions', 'room', does not match its checksum")
        for words in [["--accept-loss"], []] {
            let next = try RunningDaemon(keepingIn: folder, words)
            try #require(next.waitUntilUp(), "\(next.errors)")
            #expect(try next.ask("STATE room").code == .setAside)
            #expect(try next.ask("STATE other")["state"]?.text == "first")
            #expect(
                next.errors.contains("'room'") && next.errors.contains("its row was damaged"), "\(next.errors)")
            #expect(next.stop() == 0)
        }
        try folder.sql("UPDATE sessions SET quarantined = 0, checksum = NULL WHERE name = 'room'")
        let mended = try RunningDaemon(keepingIn: folder)
        try #require(mended.waitUntilUp(), "\(mended.errors)")
        #expect(try mended.ask("STATE room")["version"]?.integer == 6)
    }

    /// Starts it and stops it, so that everything is in the tables.
    private func restart() throws {
        let daemon = try RunningDaemon(keepingIn: folder)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        #expect(daemon.stop() == 0)
    }

    /// A damaged version, but a row that can be read.
    private func damageRow() throws {
        try folder.sql("UPDATE sessions SET version = 6 WHERE name = 'room'")
    }

    @Test func `RETRY restores a damaged session in the start that accepts its loss`() throws {
        try kill(5)
        try restart()
        try damageRow()
        let daemon = try RunningDaemon(keepingIn: folder, ["--durability", "always", "--accept-loss"])
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        #expect(try daemon.ask("STATE room").sentence?.hasPrefix("'room' is quarantined: its row was damaged; ") == true)
        #expect(try daemon.ask("INFO persistence").text?.contains("sessions_quarantined:1\r\n") == true)
        #expect(try daemon.ask("HISTORY room").list.count == 6)
        #expect(try daemon.ask("RETRY room").text == "second")
        #expect(try daemon.ask("INFO persistence").text?.contains("sessions_quarantined:0\r\n") == true)
        #expect(try daemon.ask("SEND room pass").text == "first")
        daemon.killIt()
        let next = try RunningDaemon(keepingIn: folder)
        try #require(next.waitUntilUp(), "\(next.errors)")
        #expect(try next.ask("STATE room")["version"]?.integer == 7)
        #expect(try next.ask("HISTORY room").list.count == 7)
    }

    @Test func `After the accepted loss of the newest history, later starts have what happened since`() throws {
        for _ in 0..<2 {
            try kill(5)
            try restart()
        }
        try folder.sql("UPDATE history_blocks SET names = 'x' WHERE first = (SELECT max(first) FROM history_blocks)")
        let daemon = try RunningDaemon(keepingIn: folder, ["--accept-loss"])
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        #expect(daemon.errors.contains("1 row of the table 'history_blocks' is damaged, and left out"), "\(daemon.errors)")
        for _ in 0..<10 { #expect(try !daemon.ask("SEND room pass").isError) }
        let versions = try daemon.ask("HISTORY room COUNT 100").list.compactMap { $0["version"]?.integer }
        #expect(versions.count > 10, "\(versions)")
        #expect(daemon.stop() == 0)
        let next = try RunningDaemon(keepingIn: folder)
        try #require(next.waitUntilUp(), "\(next.errors)")
        let kept = try next.ask("HISTORY room COUNT 100").list.compactMap { $0["version"]?.integer }
        #expect(Set(versions).isSubset(of: kept), "\(versions), then \(kept)")
    }

    @Test func `A damaged set-aside session stays quarantined, and later starts need no --accept-loss`() throws {
        try kill(5)
        try restart()
        try folder.sql("UPDATE sessions SET flow = 'chess', checksum = NULL WHERE name = 'room'")
        try restart()
        try damageRow()
        try expectRefusal("the row -1 of its table 'sessions', 'room', does not match its checksum")
        for words in [["--accept-loss"], []] {
            let daemon = try RunningDaemon(keepingIn: folder, words)
            try #require(daemon.waitUntilUp(), "\(daemon.errors)")
            let refusal = try daemon.ask("RETRY room")
            #expect(
                refusal.sentence?.hasPrefix("'room' still cannot be restored: there is no flow 'chess'") == true, "\(refusal)")
            #expect(daemon.stop() == 0)
        }
    }

    /// The gap would need 512 MiB.
    @Test func `A daemon needs no memory for the gap before a session whose id is far above the others`() throws {
        try kill(1)
        let daemon = try RunningDaemon(keepingIn: folder)
        try #require(daemon.waitUntilUp())
        let usual = try daemon.status("VmRSS")
        #expect(daemon.stop() == 0)
        try folder.sql("UPDATE sessions SET checksum = NULL, id = 16777214")
        let next = try RunningDaemon(keepingIn: folder)
        try #require(next.waitUntilUp(), "\(next.errors)")
        #expect(try next.status("VmRSS") < usual + 10_000)
        #expect(try next.ask("STATE room")["version"]?.integer == 1)
        for number in 0..<20 { #expect(try next.ask("NEW another-\(number) turns").text == "first") }
        #expect(try next.ask("INFO sessions").text?.contains("sessions:21\r\n") == true)
        #expect(next.stop() == 0)
    }

    /// Runs the recipe of docs/JOURNAL.md.
    @Test func `The documented sqlite3 recipe rescues a data directory into a new one`() throws {
        try kill(5)
        let daemon = try RunningDaemon(keepingIn: folder)
        try #require(daemon.waitUntilUp())
        #expect(daemon.stop() == 0)
        let recipe = try Self.recipe("mkdir -m 700 NEW", until: "user_version")
            .replacingOccurrences(of: "NEW", with: folder.path + "/new").replacingOccurrences(of: "DIR", with: folder.data)
        #expect(try run("sh", ["-e", "-c", recipe]).output == "")
        let rescued = try RunningDaemon(keepingIn: folder, data: folder.path + "/new")
        try #require(rescued.waitUntilUp(), "\(rescued.errors)")
        #expect(try rescued.ask("STATE room")["version"]?.integer == 5)
        #expect(try rescued.ask("HISTORY room").list.count == 6)
        #expect(try !rescued.ask("SEND room pass").isError)
        #expect(rescued.stop() == 0)
    }

    /// Runs the recipe of docs/JOURNAL.md. The log has later changes, and is damaged.
    @Test func `The documented copy of a database without its log starts`() throws {
        try kill(5)
        try restart()
        try kill(3)
        try damageLog()
        let recipe = try Self.recipe("mkdir -m 700 ALONE", until: "integrity_check")
            .replacingOccurrences(of: "ALONE", with: folder.path + "/alone").replacingOccurrences(of: "DIR", with: folder.data)
        #expect(try run("sh", ["-e", "-c", recipe]).output == "ok\n1\n")
        let rescued = try RunningDaemon(keepingIn: folder, data: folder.path + "/alone")
        try #require(rescued.waitUntilUp(), "\(rescued.errors)")
        #expect(try rescued.ask("STATE room")["version"]?.integer == 5)
        #expect(rescued.stop() == 0)
    }

    @Test func `A row edited by hand as documented is loaded, and logged as a row without checksum`() throws {
        try kill(1)
        let daemon = try RunningDaemon(keepingIn: folder)
        try #require(daemon.waitUntilUp())
        #expect(daemon.stop() == 0)
        let recipe = try Self.recipe("sqlite3 gamed.db \"update sessions", until: "checksum")
            .replacingOccurrences(of: "gamed.db", with: folder.database).replacingOccurrences(of: "room-7", with: "room")
        #expect(try run("sh", ["-e", "-c", recipe]).output == "")
        let next = try RunningDaemon(keepingIn: folder)
        try #require(next.waitUntilUp(), "\(next.errors)")
        #expect(try next.ask("STATE room")["paused"]?.integer == 1)
        #expect(next.errors.contains("1 row of the table 'sessions' carries no checksum"), "\(next.errors)")
    }

    /// Returns lines of docs/JOURNAL.md, from the one that begins with `beginning` to the one that contains `end`.
    private static func recipe(_ beginning: String, until end: String) throws -> String {
        let file = packageRoot.appending(path: "docs/JOURNAL.md")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").drop { !$0.hasPrefix(beginning) }
        let last = try #require(lines.firstIndex { $0.contains(end) })
        return lines[...last].joined(separator: "\n")
    }
}
