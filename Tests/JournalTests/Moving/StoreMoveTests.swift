// Everything moves from a directory into a database and back: real programs, real files, a real server.

import Foundation
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected)) struct `Moves between a directory and a database` {
    private let folder: Folder
    private let server: PostgresServer
    private let database: String
    private var back: String { folder.path + "/back" }
    private var store: String { server.uri(database) }
    private var flows: String { folder.path + "/flows" }

    init() throws {
        (folder, server) = (try Folder(), try DaemonStore.server.get())
        database = try server.newDatabase()
        try FileManager.default.createDirectory(atPath: flows, withIntermediateDirectories: true)
        let made = try gamed("--init", "--shards", "8")
        try #require(made.status == 0, "\(made.output)")
    }

    private func gamed(_ words: String..., failpoint: String? = nil) throws -> (status: Int32, output: String) {
        let environment = failpoint.map { ["env", "GAMED_FAILPOINT=\($0)"] } ?? ["env"]
        let program = productsDirectory.appending(path: "gamed").path
        let said = try run("/usr/bin/env", environment.dropFirst() + [program, "--store", store, "--config", "none"] + words)
        return (said.status, said.output)
    }

    private func importAll(failpoint: String? = nil) throws -> (status: Int32, output: String) {
        try gamed("--import", folder.data, failpoint: failpoint)
    }

    private func exportAll(failpoint: String? = nil) throws -> (status: Int32, output: String) {
        try gamed("--export", back, failpoint: failpoint)
    }

    /// A daemon on this directory, or on the database.
    private func begin(in data: String? = nil, isNode: Bool = false) throws -> RunningDaemon {
        try RunningDaemon(
            keepingIn: folder, ["--durability", "always", "--flows", flows], environment: Folder.quiet, data: data,
            store: isNode ? store : nil,
            program: "trap-probe")
    }

    private func start(in data: String? = nil, isNode: Bool = false) throws -> RunningDaemon {
        let daemon = try begin(in: data, isNode: isNode)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        return daemon
    }

    private func isRefused(_ daemon: RunningDaemon, _ sentence: String) -> Bool {
        daemon.waitForStatus() == 78 && daemon.errors.contains(sentence)
    }

    /// All rows of the tables, without the directory's own columns: row numbers, serial numbers, checksums, and the time of an earlier boot.
    private func rows(in data: String) throws -> String {
        try run(
            "sqlite3",
            [
                "\(data)/gamed.db",
                """
                select name, flow, state, data, timers, version, since, saved, paused, problem, life, waiting, context, quarantined, seq
                  from sessions order by name;
                select name, life, seq, version, at, what, flow, definition, source, event, timer, from_state, to_state, payload, code,
                  facts, actor, times from history order by name, life, seq;
                select value from meta where key = 'lives'; select count(*) from log where id > (select value from meta where key = 'covered')
                """,
            ]
        ).output
    }

    /// Creates sessions of every kind, in a directory that no daemon uses then.
    private func fill(_ count: Int) throws {
        let custom = flows + "/custom.json5"
        try #"{ id: "custom", context: { n: 1 }, initial: "a", events: { go: {} }, states: { a: { on: { go: "b" } }, b: {} } }"#
            .write(toFile: custom, atomically: true, encoding: .utf8)
        let daemon = try start()
        let client = try daemon.client()
        let lines = (0..<count).flatMap(Self.lines)
        for first in stride(from: 0, to: lines.count, by: 200) {
            let some = Array(lines[first..<min(first + 200, lines.count)])
            client.send(some)
            for line in some {
                let answer = try client.next()
                #expect(!answer.isError || line.contains("nonsense"), "\(line): \(answer)")
            }
        }
        for line in ["NEW kitchen oven '{\"context\":{\"minutes\":9}}'", "NEW lost custom", "SEND lost go", "NEW bad trapper"] {
            #expect(try !client.ask(line).isError, "\(line)")
        }
        try daemon.trap("SEND bad trap illegal")
        // The next start sets two sessions aside.
        try FileManager.default.removeItem(atPath: custom)
        let next = try start()
        #expect(try next.setAsideNames().count == 2)
        #expect(next.stop() == 0)
    }

    private static func lines(_ number: Int) -> [String] {
        let name = name(number)
        var lines = ["NEW \(name) \(number % 5 == 4 ? "trapper" : "turns")"]
        if number % 5 == 4 {
            lines.append("SEND \(name) count ID try-\(number)")
        } else if number % 3 == 0 {
            lines.append("SEND \(name) pass")
        }
        if number % 7 == 0 { lines.append("SEND \(name) nonsense '{\"a\":\"ü\"}'") }
        if number % 13 == 0, number % 5 != 4 { lines.append("EXTEND \(name) turn 60s") }
        if number % 11 == 0 { lines.append("PAUSE \(name)") }
        if number % 97 == 0 { lines.append("DROP \(name)") }
        return lines
    }

    private static func name(_ number: Int) -> String {
        switch number % 10 {
        case 0: "7d1f3c5e-1b2a-4c3d-8e9f-\(String(repeating: "0", count: 12 - "\(number)".count))\(number)"
        case 1: "Zürich-№\(number)"
        default: "room-\(number)"
        }
    }

    // MARK: There and back

    @Test func `Ten thousand sessions of every kind are the same after a move into a database and back`() throws {
        try fill(10_000)
        let before = try rows(in: folder.data)
        #expect(before.split(separator: "\n").count > 20_000)
        let there = try importAll()
        #expect(there.status == 0, "\(there.output)")
        #expect(there.output.contains("moved 9899 sessions"), "\(there.output)")
        #expect(there.output.contains("2 of them are set aside, of the flows custom, trapper"), "\(there.output)")
        #expect(try server.ask("select count(*) from sessions", in: database) == "9899")
        // No session lives twice.
        #expect(isRefused(try begin(), "the sessions were moved to "))
        #expect(try rows(in: folder.data) == before, "the source is whole")

        let node = try start(isNode: true)
        #expect(try node.ask("STATE kitchen")["context"]?.text?.contains("9") == true)
        #expect(node.stop() == 0)
        let store = try exportAll()
        #expect(store.status == 0, "\(store.output)")
        #expect(isRefused(try begin(isNode: true), "were exported into a directory"))
        #expect(
            FileManager.default.fileExists(atPath: back + "/gamed.db")
                && !FileManager.default.fileExists(atPath: back + ".part"))

        let daemon = try start(in: back)
        #expect(try daemon.setAsideNames().count == 2)
        // An id that was sent before is known.
        #expect(try daemon.ask("SEND room-4 count ID try-4").text == "calm")
        #expect(try daemon.ask("STATE room-4")["data"]?.text == #"{"count":1}"#)
        #expect(daemon.stop() == 0)
    }

    @Test func `Moved sessions are the same row for row, where no node runs in between`() throws {
        try fill(300)
        let before = try rows(in: folder.data)
        #expect(try importAll().status == 0)
        #expect(try exportAll().status == 0)
        #expect(try rows(in: back) == before)
    }

    @Test func `A move whose output has no reader moves everything`() throws {
        try fill(10)
        let before = try rows(in: folder.data)
        let program = productsDirectory.appending(path: "gamed").path
        for words in [["--import", folder.data], ["--export", back]] {
            let moved = try Program(program, ["--store", store, "--config", "none"] + words, into: pipeWithoutReader())
            #expect(moved.status == 74, "\(words)")
        }
        #expect(try rows(in: back) == before)
    }

    @Test func `Timers that fall due during a move fire at the start on the other side`() throws {
        // Within a second a busy machine may not have stopped the daemon: then another one creates the sessions again.
        let isInTime = try eventually {
            let daemon = try start()
            for name in ["paused", "late", "soon"] { _ = try daemon.ask("DROP \(name)") }
            for line in [
                "NEW paused turns", "PAUSE paused", "EXTEND paused turn -29s", "NEW late turns", "NEW soon turns",
                "EXTEND soon turn -29s",
            ] {
                #expect(try !daemon.ask(line).isError, "\(line)")
            }
            #expect(daemon.stop() == 0)
            return try folder.sql("SELECT version FROM sessions WHERE name = 'soon'") == "0"
        }
        try #require(isInTime)
        let stopped = Date()
        #expect(try importAll().status == 0)
        Thread.sleep(until: stopped.addingTimeInterval(1.1))
        let node = try start(isNode: true)
        #expect(eventually { (try? node.ask("STATE soon")["version"]?.integer) == 1 })
        #expect(try node.events(of: "soon").count == 1, "once")
        #expect(try node.ask("STATE paused")["version"]?.integer == 0)
        #expect(try node.ask("STATE late")["version"]?.integer == 0)
        #expect(node.stop() == 0)
    }

    // MARK: Hostile rows

    @Test(arguments: [
        ("set name = cast(x'ff61' as text)", 78, "a name that is no text in UTF-8"),
        ("set id = -99, problem = 'x', name = 'room-4'", 78, "two sessions are called 'room-4'"),
        ("set data = '{'", 74, "invalid input syntax for type json"),
        ("set data = '{\"a\":1}', checksum = 1", 74, "does not match its checksum"),
    ])
    func `A directory is not moved if a database cannot store a row`(change: String, status: Int32, sentence: String) throws {
        try fill(20)
        try folder.sql(
            "update sessions \(change)\(change.contains("checksum") ? "" : ", checksum = null") where name = 'room-3'")
        let said = try importAll()
        #expect(said.status == status && said.output.contains(sentence), "\(said.output)")
        #expect(try server.ask("select count(*) from sessions", in: database) == "0", "nothing is left")
        #expect(try start(isNode: true).stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.data + "/gamed.moved"))
    }

    @Test func `A database with a row that was changed behind the daemon is not exported, until its checksum is NULL`() throws {
        try fill(20)
        #expect(try importAll().status == 0)
        _ = try server.ask("update sessions set version = 99 where name = 'room-3'", in: database)
        let said = try exportAll()
        #expect(said.status == 74 && said.output.contains("the row of 'room-3'"), "\(said.output)")
        _ = try server.ask("update sessions set checksum = null where name = 'room-3'", in: database)
        #expect(try exportAll().status == 0)
        let version = "select version from sessions where name = 'room-3'"
        #expect(try run("sqlite3", ["-readonly", back + "/gamed.db", version]).output.contains("99"))
    }

    @Test func `An import repairs text that is not UTF-8, and times out of range`() throws {
        try fill(20)
        try folder.sql(
            """
            update history_blocks set checksum = null,
              entries = json_set(entries, '$[' || (3 - first) || '][1]', 'a' || char(0)) where first <= 3 and last >= 3;
            update history_blocks set checksum = null,
              entries = json_set(entries, '$[' || (4 - first) || '][5]', 9223372036854775807) where first <= 4 and last >= 4;
            update sessions set since = -9223372036854775807, checksum = null where name = 'room-3'
            """)
        let said = try importAll()
        #expect(said.status == 0 && said.output.contains("in 3 of these rows"), "\(said.output)")
        #expect(
            try server.ask("select name from history where length(name) = 2", in: database) == "a\u{FFFD}")
    }

    // MARK: Crashes

    @Test(arguments: ["while-moving:1", "while-moving:250", "during-materialize:3", "after-marking-source:1"])
    func `After a crash in the import neither end starts, and a repeated import moves everything`(point: String) throws {
        try fill(300)
        let before = try rows(in: folder.data)
        #expect(try importAll(failpoint: point).status == -SIGKILL)
        #expect(isRefused(try begin(isNode: true), "repeat --import"))
        let again = try importAll()
        #expect(again.status == 0, "\(again.output)")
        #expect(isRefused(try begin(), "the sessions were moved"))
        #expect(try exportAll().status == 0)
        #expect(try rows(in: back) == before)
    }

    @Test(arguments: ["while-moving:1", "while-moving:250", "during-materialize:3", "after-marking-source:1"])
    func `After a crash in the export no node starts, and a repeated export moves everything`(point: String) throws {
        try fill(300)
        let before = try rows(in: folder.data)
        #expect(try importAll().status == 0)
        #expect(try exportAll(failpoint: point).status == -SIGKILL)
        #expect(isRefused(try begin(isNode: true), "repeat --export"))
        #expect(!FileManager.default.fileExists(atPath: back))
        let again = try exportAll()
        #expect(again.status == 0, "\(again.output)")
        #expect(try rows(in: back) == before)
    }

    @Test func `After a crash at the end of the import, only the database has the sessions`() throws {
        try fill(50)
        let cutOff = try importAll(failpoint: "after-opening-target:1")
        #expect(cutOff.status == -SIGKILL, "\(cutOff.output)")
        #expect(isRefused(try begin(), "the sessions were moved"))
        #expect(try importAll().output.contains("has sessions or their history already"))
        let node = try start(isNode: true)
        #expect(try server.ask("select count(*) from sessions where problem is not null", in: database) == "2")
        #expect(node.stop() == 0)
    }

    @Test func `A repeated import of a wrong directory changes no mark, and the right one can still be repeated`() throws {
        try fill(20)
        #expect(try importAll(failpoint: "after-marking-source:1").status == -SIGKILL)
        let wrong = try gamed("--import", folder.path + "/nowhere")
        #expect(wrong.status == 78 && wrong.output.contains("has no database of gamed"), "\(wrong.output)")
        #expect(isRefused(try begin(isNode: true), "repeat --import"))
        let again = try importAll()
        #expect(again.status == 0, "\(again.output)")
        #expect(isRefused(try begin(), "the sessions were moved"))
    }

    @Test func `After a repeated export that fails no node starts, since the earlier directory may be in use`() throws {
        try fill(20)
        #expect(try importAll().status == 0)
        #expect(try exportAll(failpoint: "after-opening-target:1").status == -SIGKILL)
        let daemon = try start(in: back)
        _ = try server.ask("update sessions set checksum = 1", in: database)
        let again = try gamed("--export", folder.path + "/again")
        #expect(again.status == 74 && again.output.contains("does not match its checksum"), "\(again.output)")
        #expect(isRefused(try begin(isNode: true), "repeat --export"))
        #expect(daemon.stop() == 0)
    }

    // MARK: Refusals

    @Test func `A directory is not moved while a daemon runs on either end, or to an end that has sessions`() throws {
        let daemon = try start()
        #expect(try !daemon.ask("NEW a turns").isError)
        var said = try importAll()
        #expect(said.status == 78 && said.output.contains("is locked"), "\(said.output)")
        #expect(daemon.stop() == 0)
        // Nothing is left of that: a node starts.
        let node = try start(isNode: true)
        #expect(try !node.ask("NEW b turns").isError)
        for said in [try importAll(), try exportAll()] {
            #expect(said.status == 78 && said.output.contains("1 node has the sessions"), "\(said.output)")
        }
        #expect(node.stop() == 0)
        said = try importAll()
        #expect(said.status == 78 && said.output.contains("has sessions or their history already"), "\(said.output)")
        said = try gamed("--export", folder.data)
        #expect(said.status == 78 && said.output.contains("has files already"), "\(said.output)")
        let next = try start()
        #expect(next.stop() == 0)
        #expect(try start(isNode: true).stop() == 0)
    }

    @Test func `An import is refused from a directory without sessions, and without a database's address`() throws {
        for path in [folder.path + "/nowhere", flows] {
            let said = try gamed("--import", path)
            #expect(said.status == 78 && said.output.contains("has no database of gamed"), "\(said.output)")
        }
        let program = productsDirectory.appending(path: "gamed").path
        let said = try run(program, ["--config", "none", "--import", folder.data])
        #expect(said.status == 64 && said.output.contains("--import needs the database's address"), "\(said.output)")
    }
}
