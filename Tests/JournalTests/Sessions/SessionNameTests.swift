// Names that no client can give, after a restart.

import Foundation
import RESP
import TestSupport
import Testing

@Suite struct `A session's name` {
    private static let words = ["--durability", "always", "--time", "virtual"]

    private func ask(_ client: TestClient, _ words: [UInt8]...) throws -> Answer { try client.ask(bytes: words) }

    private func word(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// No client can give such names, but a hand with `sqlite3` can.
    private func folderWithOddNames() throws -> Folder {
        let folder = try Folder()
        let daemon = try RunningDaemon(keepingIn: folder, Self.words)
        try #require(daemon.waitUntilUp(), "\(daemon.errors)")
        for name in ["bytes", "lines", "Zoe\u{308} 👩‍🚀"] {
            #expect(try ask(daemon.client(), word("NEW"), word(name), word("turns")).text == "first")
        }
        try #require(daemon.stop() == 0)
        let names = ["bytes": "cast(x'6e6f20fffe2074657874' as text)", "lines": "'two' || char(10) || 'lines'"]
        for (name, odd) in names {
            try folder.sql("update sessions set checksum = null, name = \(odd) where name = '\(name)'")
            // The text itself is edited, as SQLite's JSON functions would repair invalid UTF-8.
            let escaped = name == "lines" ? "'two\\nlines'" : odd
            try folder.sql("update history_blocks set checksum = null, entries = replace(entries, '\(name)', \(escaped))")
        }
        return folder
    }

    @Test func `A session whose name no client can give is found, listed, kept and dropped`() throws {
        let folder = try folderWithOddNames()
        let names: [[UInt8]] = [Array("no ".utf8) + [0xFF, 0xFE] + Array(" text".utf8), word("two\nlines")]
        for round in 1...2 {
            let daemon = try RunningDaemon(keepingIn: folder, Self.words)
            #expect(daemon.waitUntilUp())
            let client = try daemon.client()
            let listed = try client.ask("SESSIONS 0 COUNT 1000").list.last?.list ?? []
            for name in names {
                #expect(listed.contains { $0.reply == .bulk(name) }, "round \(round)")
                #expect(
                    try ask(client, word("SEND"), name, word("pass")).text == (round == 1 ? "second" : "first"),
                    "round \(round)"
                )
                #expect(try ask(client, word("HISTORY"), name).list.count == round + 1)
                #expect(
                    try ask(client, word("SESSIONS"), word("0"), word("COUNT"), word("99"), word("MATCH"), name).list.last?.list
                        .count == 1)
            }
            daemon.killIt()
        }
        let last = try RunningDaemon(keepingIn: folder, Self.words)
        #expect(last.waitUntilUp())
        for name in names { #expect(try ask(last.client(), word("DROP"), name).integer == 1) }
        #expect(last.stop() == 0)
    }

    @Test func `A set-aside session's name is compared by its bytes`() throws {
        let folder = try folderWithOddNames()
        try folder.sql("update sessions set checksum = null, flow = 'chess' where name like 'no %' or name like 'Zo%'")
        let daemon = try RunningDaemon(keepingIn: folder, Self.words)
        #expect(daemon.waitUntilUp())
        let client = try daemon.client()
        let name = Array("no ".utf8) + [0xFF, 0xFE] + Array(" text".utf8)
        #expect(try ask(client, word("STATE"), name).code == .setAside)
        #expect(try ask(client, word("STATE"), word("no \u{FFFD}\u{FFFD} text")).code == .noSession)
        #expect(try ask(client, word("STATE"), word("Zo\u{EB} 👩‍🚀")).code == .noSession)
        #expect(try ask(client, word("DROP"), name).integer == 1)
        #expect(try ask(client, word("STATE"), name).code == .noSession)
    }
}
