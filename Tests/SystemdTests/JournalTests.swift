// Entries of systemd's journal: their bytes and their transport.

import Foundation
import TestSupport
import Testing
@testable import Posix
@testable import Systemd

@Suite struct `An entry of the journal` {
    private func bytes(_ fields: [(StaticString, String)]) -> [UInt8] {
        var entry = JournalEntry()
        for (name, value) in fields { entry.add(name, value) }
        return entry.bytes
    }

    @Test func `A journal entry has a line for each field`() {
        #expect(bytes([("PRIORITY", "5"), ("MESSAGE", "a=b")]) == Array("PRIORITY=5\nMESSAGE=a=b\n".utf8))
    }

    @Test func `A journal entry has a length before a value with line ends, so it cannot forge fields`() {
        let value = "room\nPRIORITY=0"
        let length: [UInt8] = [15, 0, 0, 0, 0, 0, 0, 0]
        #expect(bytes([("SESSION", value)]) == Array("SESSION\n".utf8) + length + Array("\(value)\n".utf8))
    }
}

@Suite struct `The journal's socket` {
    private let folder: Folder
    private let receiver: DatagramReceiver

    init() throws {
        folder = try Folder()
        receiver = try DatagramReceiver(at: folder.socket)
    }

    private func entry(_ message: String) -> JournalEntry {
        var entry = JournalEntry()
        entry.add("MESSAGE", message)
        return entry
    }

    @Test func `A short journal entry is sent as a datagram`() throws {
        let socket = try #require(JournalSocket(path: folder.socket))
        #expect(socket.send(entry("hello")))
        #expect(receiver.next() == "MESSAGE=hello\n")
    }

    @Test func `A journal entry that is too long for a datagram is not sent, and the next one is`() throws {
        let socket = try #require(JournalSocket(path: folder.socket))
        #expect(!socket.send(entry(String(repeating: "x", count: 1 << 20))))
        #expect(socket.send(entry("hello")))
        #expect(receiver.next() == "MESSAGE=hello\n")
    }

    @Test func `Sending to the journal's socket never blocks, even if it is full or gone`() throws {
        let socket = try #require(JournalSocket(path: folder.socket))
        var sent = 0
        while sent < 100_000, socket.send(entry("hello")) { sent += 1 }
        #expect(sent < 100_000)
        unlink(folder.socket)
        #expect(!socket.send(entry("hello")))
        #expect(JournalSocket(path: folder.socket) == nil)
    }

    @Test func `The journal's socket is used only if the journal reads standard error`() {
        var info = stat()
        fstat(STDERR_FILENO, &info)
        let own = "\(info.st_dev):\(info.st_ino)"
        #expect(JournalStream.isStandardError { $0 == "JOURNAL_STREAM" ? own : nil })
        #expect(!JournalStream.isStandardError { _ in "8:1" })
        #expect(!JournalStream.isStandardError { _ in nil })
    }
}
