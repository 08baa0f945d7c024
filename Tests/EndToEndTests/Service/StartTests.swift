// The lines that a restart prints, in a log and at a terminal.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `A start that restores sessions` {
    @Test func `A start prints the number of restored sessions, and no suggestions into a log`() throws {
        let folder = try Folder()
        let words = ["--socket", folder.socket, "--data", folder.data]
        let first = try RunningDaemon(words + ["--session", "room=turns"], in: URL(fileURLWithPath: folder.path + "/first"))
        var said: [String] = []
        while said.last != "sessions: room (turns)", let line = first.readLine() { said.append(line) }
        #expect(!said.contains { $0.hasPrefix("restored: ") })
        first.signal(SIGTERM)
        while let line = first.readLine() { said.append(line) }
        #expect(first.waitForEnd().status == 0)
        #expect(!said.contains { $0.hasPrefix("try: ") }, "a log has no suggestions")
        let again = try Terminal(
            productsDirectory.appending(path: "gamed").path, words, home: URL(fileURLWithPath: folder.path))
        try again.wait(for: "restored: 1 session\r\nsocket: \(folder.socket)\r\n")
    }

    @Test
    func `Without a store, each run gives sessions other lives, so that a position in an earlier run is none in this one`()
        throws
    {
        func life(_ words: [String] = []) throws -> Int? {
            let folder = try Folder()
            let daemon = try RunningDaemon(["--socket", folder.socket, "--session", "room=turns"] + words)
            defer { #expect(daemon.stop() == 0) }
            while let line = daemon.readLine(), line != "sessions: room (turns)" {}
            return try daemon.answer("STATE", "room")["life"]?.integer
        }
        let lives = try (1...3).map { _ in try life() }
        #expect(Set(lives).count > 1 && !lives.contains(nil), "\(lives)")
        #expect(try life(["--time", "virtual"]) == 1, "tests repeat")
    }

    @Test func `A start warns if --session asks for another flow than the restored session has`() throws {
        let folder = try Folder()
        let words = ["--socket", folder.socket, "--data", folder.data]
        let first = try RunningDaemon(words + ["--session", "room=turns"], in: URL(fileURLWithPath: folder.path + "/first"))
        // The session has begun by then.
        while let line = first.readLine(), line != "sessions: room (turns)" {}
        #expect(first.stop() == 0)
        let again = try RunningDaemon(words + ["--session", "room=game"], in: URL(fileURLWithPath: folder.path + "/again"))
        #expect(again.complains("the session 'room' exists and keeps its flow 'turns'; to begin it in 'game' (--session)"))
        #expect(again.stop() == 0)
        let sessions = ["--session", "room=game", "--session", "room=turns", "--session", "room=game"]
        let last = try RunningDaemon(words + sessions, in: URL(fileURLWithPath: folder.path + "/last"))
        let flows = "with the flows 'game' and 'turns'; its flow is 'turns'"
        #expect(last.complains("warning: --session names 'room' 3 times, \(flows): remove all but one"))
    }
}
