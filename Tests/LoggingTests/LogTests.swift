// The log: levels, escaping, suppression and the journal's socket.

import Foundation
import Testing
import Timers
@testable import Logging
@testable import Posix
@testable import Systemd

@Suite struct `The log` {
    private func lines(_ level: Log.Level, _ style: LogLine.Style, _ body: (Log) -> Void) -> String {
        var bytes: [UInt8] = []
        let log = Log(level: level, style: style) {
            bytes += $0
            return true
        }
        body(log)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `The log writes messages of its level and above, with the journal's priorities`() {
        let text = lines(.notice, .journal) { log in
            log.error("one")
            log.warning("two")
            log.notice("three")
            log.info("four")
            log.debug("five")
        }
        #expect(text == "<3>one\n<4>two\n<5>three\n")
    }

    @Test func `A dated log line starts with the UTC time and the level`() throws {
        let text = lines(.debug, .dated) { $0.info("hello") }
        #expect(try #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z info: hello\n/#.wholeMatch(in: text) != nil, "\(text)")
    }

    @Test(arguments: [
        ("two\nlines", #"two\nlines"#),
        ("back\rto the start", #"back\rto the start"#),
        ("\u{1b}[31mred", #"\u{1b}[31mred"#),
        ("\u{9b}31m", #"\u{9b}31m"#),
        ("turned \u{202e}around", #"turned \u{202e}around"#),
        ("a\u{2028}b", #"a\u{2028}b"#),
        (#"not \n a line end"#, #"not \\n a line end"#),
        ("déjà vu 日本", "déjà vu 日本"),
    ])
    func `A log message cannot start a second line or send terminal control codes`(text: String, shown: String) {
        #expect(lines(.debug, .journal) { $0.info(text) } == "<6>\(shown)\n")
    }

    @Test func `A log line is cut to less than 1,100 bytes`() {
        let text = lines(.debug, .journal) { $0.info(String(repeating: "x", count: 100_000)) }
        #expect(text.utf8.count < 1_100)
        #expect(text.hasSuffix("x…\n"))
    }

    @Test func `An entry for the journal's socket is cut like a log line, so it fits into a datagram`() {
        let entry = LogLine.entry(.notice, String(repeating: "x", count: 100_000), .none, of: "gamed")
        #expect(entry.bytes.count < 1_100)
    }

    @Test func `Log lines provoked by clients are limited to ten, then one a second, and the rest is counted`() {
        let clock = VirtualClock()
        var said: [String] = []
        let log = Log(level: .notice, style: .journal, clock: clock) {
            said.append(String(decoding: $0, as: UTF8.self))
            return true
        }
        for number in 1...500 { log.write(.notice, provokedBy: .cutOff, "number \(number)") }
        #expect(said.count == 10)
        log.write(.notice, provokedBy: .wrongToken, "something else")
        #expect(said.last == "<5>something else\n")
        clock.move(to: clock.now.advanced(by: .seconds(1)))
        for number in 501...600 { log.write(.notice, provokedBy: .cutOff, "number \(number)") }
        #expect(said.last == "<5>number 501 (and 490 more of this kind before)\n")
        #expect(said.count == 12)
    }

    @Test func `A burst of suppressed lines is summarized by kind once a line is allowed again`() {
        let clock = VirtualClock()
        final class Delegate: LogDelegate {
            var asked = 0

            func logDidHoldBack() { asked += 1 }
        }
        let delegate = Delegate()
        var said: [String] = []
        let log = Log(level: .warning, style: .journal, clock: clock) {
            said.append(String(decoding: $0, as: UTF8.self))
            return true
        }
        log.delegate = delegate
        for _ in 1...10 { log.write(.warning, provokedBy: .wrongToken, "a wrong token") }
        #expect(delegate.asked == 0)
        for _ in 1...90 { log.write(.warning, provokedBy: .wrongToken, "a wrong token") }
        #expect(delegate.asked == 1)
        // Not yet: the next line is a second away.
        #expect(!log.flushSuppressed())
        #expect(said.count == 10)
        clock.move(to: clock.now.advanced(by: .seconds(2)))
        #expect(log.flushSuppressed())
        #expect(said.last == "<4>90 more wrong tokens were sent\n")
        #expect(log.flushSuppressed())
        #expect(said.count == 11)
        log.write(.warning, provokedBy: .wrongToken, "a wrong token")
        #expect(said.last == "<4>a wrong token\n")
    }

    @Test func `The summary of a kind's suppressed lines has the level of that kind's lines`() {
        let clock = VirtualClock()
        var said: [String] = []
        let log = Log(level: .info, style: .journal, clock: clock) {
            said.append(String(decoding: $0, as: UTF8.self))
            return true
        }
        for _ in 1...12 { log.write(.warning, provokedBy: .wrongToken, "a wrong token") }
        for _ in 1...12 { log.write(.info, provokedBy: .cutOff, "a slow client") }
        clock.move(to: clock.now.advanced(by: .seconds(2)))
        #expect(log.flushSuppressed())
        #expect(said.suffix(2).sorted() == ["<4>2 more wrong tokens were sent\n", "<6>2 more clients were disconnected\n"])
    }

    @Test func `Log lines of sessions are suppressed only after 1,000 at once`() {
        var count = 0
        let log = Log(level: .info, style: .journal, clock: VirtualClock()) { _ in
            count += 1
            return true
        }
        for _ in 1...5_000 { log.write(.info, provokedBy: .sessionWords, "hello") }
        #expect(count == 1_000)
    }

    @Test func `The log sends entries to the journal's socket, with their level and subject`() {
        var entries: [[UInt8]] = []
        let log = Log(
            level: .notice, style: .journal, program: "venue",
            journal: {
                entries.append($0.bytes)
                return true
            }
        ) { _ in false }
        log.info("not asked for")
        let subject = LogSubject(session: "room-7", flow: "game", event: "chooseLevel", code: "NOTRANSITION")
        log.write(.warning, about: subject, "two\nlines")
        log.notice("three")
        #expect(
            entries.map { String(decoding: $0, as: UTF8.self) } == [
                "PRIORITY=4\nSYSLOG_IDENTIFIER=venue\nMESSAGE=two\\nlines\nSESSION=room-7\nFLOW=game\nEVENT=chooseLevel\n"
                    + "CODE=NOTRANSITION\n",
                "PRIORITY=5\nSYSLOG_IDENTIFIER=venue\nMESSAGE=three\n",
            ])
        #expect(log.lost == 0)
    }

    @Test func `A log line has the machine's local time if the log's zone is local`() throws {
        var said = ""
        let log = Log(level: .notice, style: .dated, zone: .local) {
            said += String(decoding: $0, as: UTF8.self)
            return true
        }
        log.notice("hello")
        log.zone = .utc
        log.notice("hello")
        #expect(
            try #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}([+-]\d\d:\d\d) notice: hello\n\d{4}\S+Z notice: hello\n/#.wholeMatch(
                in: said) != nil,
            "\(said)")
    }

    @Test func `Lines that cannot be written are counted, and their number is logged`() {
        var (takes, said) = (false, [String]())
        let log = Log(level: .notice, style: .journal) {
            if takes { said.append(String(decoding: $0, as: UTF8.self)) }
            return takes
        }
        for _ in 0..<3 { log.notice("nobody hears this") }
        takes = true
        log.notice("but this")
        #expect(said == ["<4>3 lines were lost here\n", "<5>but this\n"])
        #expect(log.lost == 3)
    }

    @Test func `A full pipe gets whole lines and then none, and never blocks the log`() throws {
        let pipe = Pipe()
        var output: NonblockingOutput? = NonblockingOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let line = Array((String(repeating: "x", count: 999) + "\n").utf8)
        var taken = 0
        while output?.write(whole: line) == true { taken += 1 }
        #expect((1...1_000).contains(taken))
        // The shared file description stays blocking.
        #expect(fcntl(pipe.fileHandleForWriting.fileDescriptor, F_GETFL) & O_NONBLOCK == 0)
        output = nil
        try pipe.fileHandleForWriting.close()
        #expect(pipe.fileHandleForReading.readDataToEndOfFile().count == taken * line.count)
    }
}
