// Names that earlier versions allowed, after a restart.

import Foundation
import RESP
import TestSupport
import Testing

@Suite struct `A session's name` {
    private static let words = ["--durability", "always", "--time", "virtual"]

    private func ask(_ asker: Asker, _ words: [UInt8]...) throws -> Answer { try asker.ask(bytes: words) }

    private func word(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// As versions from before the rule have left them.
    private func folderWithOldNames() throws -> Folder {
        let folder = try Folder()
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../Fixtures/format-2/clean")
        try FileManager.default.copyItem(atPath: fixture.path, toPath: folder.data)
        try folder.sql("update sessions set name = cast(x'6e6f20fffe2074657874' as text) where name like 'no %'")
        try folder.sql("update history set name = cast(x'6e6f20fffe2074657874' as text) where name like 'no %'")
        return folder
    }

    @Test func `that is not allowed any more is still found, listed, kept and dropped`() throws {
        let folder = try folderWithOldNames()
        let names: [[UInt8]] = [Array("no ".utf8) + [0xFF, 0xFE] + Array(" text".utf8), word("two\nlines")]
        for round in 1...2 {
            let daemon = try DaemonProcess(in: folder, Self.words)
            #expect(daemon.isUp())
            let asker = try daemon.asker()
            let listed = try asker.ask("SESSIONS 0 COUNT 1000").list.last?.list ?? []
            for name in names {
                #expect(listed.contains { $0.reply == .bulk(name) }, "round \(round)")
                #expect(
                    try ask(asker, word("SEND"), name, word("pass")).text == (round == 1 ? "first" : "second"), "round \(round)"
                )
                #expect(try ask(asker, word("HISTORY"), name).list.count == round + 1)
                #expect(
                    try ask(asker, word("SESSIONS"), word("0"), word("COUNT"), word("99"), word("MATCH"), name).list.last?.list
                        .count == 1)
            }
            daemon.killIt()
        }
        let last = try DaemonProcess(in: folder, Self.words)
        #expect(last.isUp())
        for name in names { #expect(try ask(last.asker(), word("DROP"), name).integer == 1) }
        #expect(last.stop() == 0)
    }

    @Test func `of a session that was set aside is compared by its bytes, too`() throws {
        let folder = try folderWithOldNames()
        try folder.sql("update sessions set flow = 'chess' where name like 'no %' or name like 'Zo%'")
        let daemon = try DaemonProcess(in: folder, Self.words)
        #expect(daemon.isUp())
        let asker = try daemon.asker()
        let name = Array("no ".utf8) + [0xFF, 0xFE] + Array(" text".utf8)
        #expect(try ask(asker, word("STATE"), name).code == .setAside)
        #expect(try ask(asker, word("STATE"), word("no \u{FFFD}\u{FFFD} text")).code == .noSession)
        #expect(try ask(asker, word("STATE"), word("Zo\u{EB} 👩‍🚀")).code == .noSession)
        #expect(try ask(asker, word("DROP"), name).integer == 1)
        #expect(try ask(asker, word("STATE"), name).code == .noSession)
    }
}
