// Replies on the wire, in both versions of the protocol.

import RESP
import Testing

/// A reply and its bytes in both versions.
struct WrittenReply: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let resp2: String
    let resp3: String
    let write: @Sendable (ReplyBuffer) -> Void

    /// A reply with the same bytes in both versions.
    init(_ wire: String, _ write: @escaping @Sendable (ReplyBuffer) -> Void) {
        self.init(wire, wire, write)
    }

    init(_ resp2: String, _ resp3: String, _ write: @escaping @Sendable (ReplyBuffer) -> Void) {
        testDescription = resp3.debugDescription
        self.resp2 = resp2
        self.resp3 = resp3
        self.write = write
    }

    static let all = [
        WrittenReply("+OK\r\n") { $0.append(.ok) },
        WrittenReply("+PONG\r\n") { $0.append(.pong) },
        WrittenReply("+QUEUED\r\n") { $0.append(preencoded: "+QUEUED\r\n") },
        WrittenReply("+choosingLevel\r\n") { $0.append(EncodedReply(simple: "choosingLevel")) },
        WrittenReply("-NOSESSION no\r\n") { $0.append(EncodedReply(error: .noSession, "no")) },
        WrittenReply("+choosingLevel\r\n") { $0.append(simple: "choosingLevel") },
        WrittenReply("+\r\n") { $0.append(simple: "") },
        // Line ends inside a line are replaced by spaces.
        WrittenReply("+a  +b c\r\n") { $0.append(simple: "a\r\n+b\nc") },
        WrittenReply("-ERR it  is 'ž' \r\n") { $0.append(error: .generic, "it\r\nis 'ž'\n") },
        WrittenReply(":0\r\n") { $0.append(integer: 0) },
        WrittenReply(":-10\r\n") { $0.append(integer: -10) },
        WrittenReply(":9223372036854775807\r\n") { $0.append(integer: .max) },
        WrittenReply(":-9223372036854775808\r\n") { $0.append(integer: .min) },
        WrittenReply("$0\r\n\r\n") { $0.append(bulk: "") },
        WrittenReply("$7\r\na\r\nž ☕\r\n".replacing("$7", with: "$9")) { $0.append(bulk: "a\r\nž ☕") },
        WrittenReply("$2\r\nhi\r\n") { $0.append(bulk: "hi") },
        WrittenReply("$-1\r\n", "_\r\n") { $0.appendNull() },
        WrittenReply("*0\r\n") { $0.append(arrayOf: 0) },
        WrittenReply("*12\r\n") { $0.append(arrayOf: 12) },
        WrittenReply("*4\r\n", "%2\r\n") { $0.append(mapOf: 2) },
        WrittenReply("*3\r\n", "~3\r\n") { $0.append(setOf: 3) },
        WrittenReply("*3\r\n", ">3\r\n") { $0.append(pushOf: 3) },
        WrittenReply(":1\r\n", "#t\r\n") { $0.append(boolean: true) },
        WrittenReply(":0\r\n", "#f\r\n") { $0.append(boolean: false) },
        WrittenReply("$5\r\nflows\r\n", "=9\r\ntxt:flows\r\n") { $0.append(verbatim: "flows") },
    ]
}

@Suite struct `Replies` {
    @Test(arguments: WrittenReply.all)
    func `A reply is written in the client's protocol version`(reply: WrittenReply) {
        #expect(written(.resp2, reply.write) == reply.resp2)
        #expect(written(.resp3, reply.write) == reply.resp3)
    }

    @Test func `Replies are appended at the back and consumed from the front`() {
        let buffer = ReplyBuffer()
        for number in 0..<3000 { buffer.append(integer: number) }
        var sent: [UInt8] = []
        while !buffer.isEmpty {
            let piece = min(7, buffer.count)
            sent += buffer.unsent.prefix(piece)
            buffer.consume(piece)
        }
        #expect(String(decoding: sent, as: UTF8.self) == (0..<3000).map { ":\($0)\r\n" }.joined())
    }

    @Test func `A reply contains a word of the request byte for byte`() throws {
        var parser = RequestParser()
        let buffer = ReplyBuffer()
        let wire = Array("*1\r\n$3\r\n".utf8) + [0xFF, 0, 10] + Array("\r\n".utf8)
        #expect(try parser.read(wire) { buffer.append(bulk: $0[0].bytes) } == wire.count)
        #expect(Array(buffer.unsent) == Array("$3\r\n".utf8) + [0xFF, 0, 10, 13, 10])
    }

    @Test func `The memory of a burst of replies is released once they are sent`() {
        let buffer = ReplyBuffer(keeping: 16 * 1024)
        #expect(buffer.footprint == 0)
        for _ in 0..<100_000 { buffer.append(simple: "introduction") }
        buffer.consume(buffer.count - 1)
        #expect(buffer.footprint > 1_000_000)
        buffer.consume(1)
        #expect(buffer.footprint <= 16 * 1024)
        buffer.append(.ok)
        buffer.removeAll()
        buffer.releaseMemory()
        #expect(buffer.footprint == 0 && buffer.isEmpty)
    }
}

/// The written bytes as text.
func written(_ version: ProtocolVersion, _ write: (ReplyBuffer) -> Void) -> String {
    let buffer = ReplyBuffer(protocolVersion: version)
    write(buffer)
    return String(decoding: buffer.unsent, as: UTF8.self)
}

@Suite struct `A line of a reply` {
    @Test func `A reply line has spaces in place of line ends at any position, and other bytes unchanged`() {
        let alphabet: [UInt8] = [0, 9, 10, 13, 15, 16, 31, 32, 97, 126, 127, 128, 143, 159, 255]
        for length in 0..<81 {
            for place in 0..<max(1, length) {
                for byte in alphabet {
                    var text = [UInt8](repeating: UInt8(ascii: "x"), count: length)
                    if length > 0 { text[place] = byte }
                    let buffer = ReplyBuffer()
                    text.withUnsafeBytes { buffer.append(simple: $0) }
                    let line = [UInt8(ascii: "+")] + text.map { $0 == 10 || $0 == 13 ? 32 : $0 } + [13, 10]
                    var expected = line
                    // Only ASCII bytes are text on their own.
                    if byte < 128 {
                        buffer.append(simple: String(decoding: text, as: UTF8.self))
                        expected += line
                    }
                    guard Array(buffer.unsent) != expected else { continue }
                    Issue.record("\(byte) at \(place) of \(length): \(Array(buffer.unsent))")
                }
            }
        }
    }

    @Test(arguments: [
        ("", "x", 30 << 20), ("", "é", 2_000), ("", "👨‍👩‍👧‍👦", 1_000), ("e", "\u{301}", 33_000), ("", "\r\n", 5_000),
    ])
    func `An error reply has at most 1,000 bytes and stays valid UTF-8`(head: String, part: String, count: Int) {
        let text = head + String(repeating: part, count: count)
        let buffer = ReplyBuffer()
        buffer.append(error: .generic, text)
        let said = Array(buffer.unsent)
        #expect(said.count <= 1_000 + "-ERR \r\n".utf8.count && said.count > 990)
        #expect(String(validating: said, as: UTF8.self)?.hasSuffix("…\r\n") == true)
    }
}
