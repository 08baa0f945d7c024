// Transactions in scripts of gamectl.

import Foundation
import TestSupport
import Testing

@Suite struct `A transaction in a script of gamectl` {
    @Test func `A transaction in a script counts as refused if one of its commands was refused`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let good = try daemon.gamectl(input: "MULTI\nsend room pass\nEXEC\n")
        #expect(good.status == 0 && good.output.hasSuffix("\nsecond\n"), "\(good)")
        let bad = try daemon.gamectl(input: "MULTI\nsend room pass\nsend room jump\nEXEC\nstate room\n")
        #expect(bad.status == 1 && bad.output.contains("\nfirst\nBADEVENT 'turns' has no event 'jump'"), "\(bad)")
    }

    @Test func `A script executes no command of a transaction whose connection was lost`() throws {
        let folder = try Folder()
        let first = try RunningDaemon(keepingIn: folder, ["--durability", "always", "--session", "room=turns"])
        try #require(first.readLine() != nil)
        let input = Pipe()
        let script = try RunningProgram(gamectlPath, [], input: input, environment: ["GAMED_SOCKET": folder.socket])
        let write = { (text: String) in try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }
        try write("MULTI\nsend room pass\n")
        try #require(script.says("QUEUED"))
        first.killIt()
        let second = try RunningDaemon(keepingIn: folder)
        try #require(second.readLine() != nil)
        try write("send room pass\nEXEC\nMULTI\nforce room first\nDISCARD\nflows\n")
        try input.fileHandleForWriting.close()
        let (errors, status) = script.waitForEnd()
        let lost =
            "EXECABORT the connection was lost after MULTI, and its transaction is discarded: none of its commands is executed"
        let advice = "; EXEC or DISCARD ends it, MULTI begins another"
        #expect(errors == "gamectl: line 3: \(lost)\(advice)\ngamectl: line 4: \(lost)\n")
        #expect(status == 1 && script.said.contains("\nturns\n"), "\(script.said)")
        #expect(try second.gamectl("state", "room").output.contains("first"))
    }

    @Test func `A transaction is not executed by another node, and the script says which one has the session`() throws {
        let folder = try Folder()
        let replies = ["MULTI": "+OK\r\n", "SEND": "-MOVED 7638 127.0.0.1:9\r\n", "EXEC": "-EXECABORT discarded\r\n"]
        let stub = try StubDaemon(at: folder.socket, views: [:], replies: replies)
        defer { stub.leave() }
        let script = try Program(
            gamectlPath, ["--socket", folder.socket], input: "MULTI\nsend room pass\nEXEC\nsend room pass\n")
        let lines = script.errors.split(separator: "\n")
        try #require(lines.count == 3, "\(script)")
        #expect(
            lines[0]
                == "gamectl: line 2: MOVED 7638 127.0.0.1:9: another node has the session, and a transaction is for sessions of one node: run it with --connect 127.0.0.1:9"
        )
        #expect(lines[1] == "gamectl: line 3: EXECABORT discarded")
        #expect(lines[2].contains("names the node 127.0.0.1:9"), "outside of it, the other node is asked")
    }

    @Test func `A subcommand that needs the reply is refused in a transaction, which it does not change`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let script = try daemon.gamectl(input: "MULTI\nsend room pass\nsessions\nconfig\nbackup copy.db\nEXEC\n")
        let lines = ["sessions", "config", "backup"].enumerated().map { index, name in
            "gamectl: line \(index + 3): ERR '\(name)' cannot be used after MULTI, where commands are only queued; use it after EXEC\n"
        }
        #expect(script.errors == lines.joined(), "\(script)")
        #expect(script.status == 1 && script.output.hasSuffix("\nsecond\n"), "\(script)")
    }
}
