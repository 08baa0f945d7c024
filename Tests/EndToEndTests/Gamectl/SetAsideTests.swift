// gamectl reports sessions that are set aside below its list of sessions.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `Sessions that are set aside` {
    private let flows: Folder

    init() throws {
        flows = try Folder()
        try write("here")
    }

    private func write(_ state: String) throws {
        let text = #"{ id: "f", initial: "first", states: { first: { on: { go: "\#(state)" } }, \#(state): {} } }"#
        try text.write(toFile: flows.path + "/f.json5", atomically: true, encoding: .utf8)
    }

    @Test func `Sessions that are set aside are counted below gamectl's table`() throws {
        let daemon = try RunningDaemon.virtual(["--flows", flows.path])
        #expect(try daemon.gamectl(input: "new a f\nnew b f\nsend b go\n").status == 0)
        try write("there")
        #expect(try daemon.gamectl("reload").output.contains("1 is set aside"))
        let table = try Terminal(gamectlPath, ["--socket", daemon.socketPath, "sessions"], home: daemon.folder)
        for text in ["SESSION ", "a ", "1 is set aside; gamectl sessions --state '!' shows why"] { try table.wait(for: text) }
        #expect(table.waitForEnd() == 0)
        #expect(try daemon.gamectl("sessions").output == "a\n", "output to a pipe has names only")
        #expect(try daemon.gamectl("drop", "a").status == 0)
        let none = try Terminal(gamectlPath, ["--socket", daemon.socketPath, "sessions"], home: daemon.folder)
        for text in ["there are no sessions", "1 is set aside"] { try none.wait(for: text) }
        #expect(none.waitForEnd() == 0)
    }

    @Test func `The drop of a session that is set aside cannot be undone, and the help of both commands says so`() throws {
        let daemon = try RunningDaemon.virtual(["--flows", flows.path])
        #expect(try daemon.gamectl(input: "new b f\nsend b go\n").status == 0)
        try write("there")
        #expect(try daemon.gamectl("reload").output.contains("1 session is set aside"))
        #expect(try daemon.gamectl("drop", "b").status == 0)
        #expect(try daemon.gamectl("undrop", "b").errors.contains("NOSESSION"))
        for command in ["drop", "undrop"] {
            #expect(try daemon.gamectl("help", command).output.contains(" was set aside"), "\(command)")
        }
    }

    /// More than one reply to SESSIONS lists.
    @Test func `The TAB key offers sessions for RETRY where thousands are set aside`() throws {
        let daemon = try RunningDaemon.virtual(["--flows", flows.path])
        let names = (1...1_200).map { "room-\($0)" }
        #expect(try daemon.gamectl(input: names.map { "new \($0) f\nsend \($0) go\n" }.joined()).status == 0)
        try write("there")
        #expect(try daemon.gamectl("reload").output.contains("sessions are set aside"))
        let offered = try daemon.gamectl("complete", "--", "retry", "room").output.split(separator: "\n").map(String.init)
        #expect(offered.count >= 200 && Set(offered).isSubset(of: names), "\(offered.count)")
        #expect(try daemon.gamectl("complete", "--", "retry", "room-1200").output == "room-1200\n")
    }
}
