// Random requests and replies are written, cut into random pieces and parsed.

import RESP
import Seeds
import Testing

extension SeededGenerator {
    fileprivate mutating func bytes(upTo longest: Int) -> [UInt8] {
        (0..<Int.random(in: 0...longest, using: &self)).map { _ in
            Int.random(in: 0..<4, using: &self) == 0
                ? "\r\n\"' \\$*".utf8.randomElement(using: &self) ?? 0 : .random(in: 0...255, using: &self)
        }
    }

    fileprivate mutating func text(upTo longest: Int) -> String {
        String((0..<Int.random(in: 0...longest, using: &self)).map { _ in "aZ09 -ž☕'\"".randomElement(using: &self) ?? "a" })
    }

    mutating func cut(_ bytes: [UInt8], upTo longest: Int) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 1...longest, using: &self))
            pieces.append(bytes[start..<end])
            start = end
        }
        return pieces
    }

    fileprivate mutating func reply(depth: Int) -> Reply {
        switch Int.random(in: 0..<(depth > 0 ? 13 : 8), using: &self) {
        case 0: .simple(text(upTo: 12))
        case 1: .error(code: .generic, text: text(upTo: 20))
        case 2: .integer(.random(in: .min ... .max, using: &self))
        case 3: .integer(.random(in: -1000...1000, using: &self))
        case 4: .bulk(bytes(upTo: 40))
        case 5: .null
        case 6: .boolean(.random(using: &self))
        case 7: .verbatim(format: "txt", text: text(upTo: 30))
        case 8: .set(replies(depth: depth))
        case 9: .push(replies(depth: depth))
        case 10: .map(replies(depth: depth).map { .init(key: .integer(1), value: $0) })
        default: .array(replies(depth: depth))
        }
    }

    private mutating func replies(depth: Int) -> [Reply] {
        (0..<Int.random(in: 0...4, using: &self)).map { _ in reply(depth: depth - 1) }
    }
}

extension ReplyBuffer {
    fileprivate func append(_ reply: Reply) {
        switch reply {
        case .simple(let text): append(simple: text)
        case .error(let code, let text): append(error: code, text)
        case .integer(let number): append(integer: number)
        case .bulk(let bytes): bytes.withUnsafeBytes { append(bulk: $0) }
        case .null: appendNull()
        case .boolean(let boolean): append(boolean: boolean)
        case .verbatim(_, let text): append(verbatim: text)
        case .double, .bigNumber: Issue.record("the server writes none")
        case .array(let replies): append(replies, behind: append(arrayOf:))
        case .set(let replies): append(replies, behind: append(setOf:))
        case .push(let replies): append(replies, behind: append(pushOf:))
        case .map(let pairs):
            append(mapOf: pairs.count)
            for pair in pairs {
                append(pair.key)
                append(pair.value)
            }
        }
    }

    private func append(_ replies: [Reply], behind header: (Int) -> Void) {
        header(replies.count)
        for reply in replies { append(reply) }
    }
}

extension Reply {
    /// The reply as RESP2 has it.
    fileprivate var inResp2: Reply {
        switch self {
        case .simple, .error, .integer, .bulk, .null, .double, .bigNumber: self
        case .boolean(let boolean): .integer(boolean ? 1 : 0)
        case .verbatim(_, let text): .bulk(text: text)
        case .array(let replies), .set(let replies), .push(let replies): .array(replies.map(\.inResp2))
        case .map(let pairs): .array(pairs.flatMap { [$0.key.inResp2, $0.value.inResp2] })
        }
    }
}

@Suite struct `Round trips of requests and replies` {
    @Test(arguments: [UInt64(1), 2, 3])
    func `Random requests are the same after writing and parsing`(seed: UInt64) {
        var random = SeededGenerator.announced("requests, there and back", seed: seed)
        for _ in 0..<300 {
            let requests = (0..<20).map { _ in
                (0..<Int.random(in: 1...6, using: &random)).map { _ in random.bytes(upTo: 30) }
            }
            var wire = ByteQueue()
            for request in requests { wire.append(request: request) }
            let pieces = random.cut(Array(wire.bytes), upTo: 100)
            #expect(RequestConversation.transcript(of: pieces) == Transcript(requests: requests))
        }
    }

    @Test func `Random quoted words are the same after quoting and parsing`() {
        var random = SeededGenerator.announced("quoted words, there and back", seed: 4)
        for _ in 0..<3000 {
            let words = (0..<Int.random(in: 1...5, using: &random)).map { _ in random.bytes(upTo: 12) }
            let line = words.map { Bool.random(using: &random) ? quoted($0) : singleQuoted($0) ?? quoted($0) }
            let wire = Array(line.joined(separator: [UInt8(ascii: " ")])) + [10]
            #expect(RequestConversation.transcript(of: random.cut(wire, upTo: 20)) == Transcript(requests: [words]))
        }
    }

    @Test(arguments: [ProtocolVersion.resp2, .resp3], [UInt64(5), 6])
    func `Random replies are the same after writing and parsing`(version: ProtocolVersion, seed: UInt64) {
        var random = SeededGenerator.announced("replies, there and back", seed: seed)
        for _ in 0..<300 {
            let replies = (0..<10).map { _ in random.reply(depth: 4) }
            let buffer = ReplyBuffer(protocolVersion: version)
            for reply in replies { buffer.append(reply) }
            let pieces = random.cut(Array(buffer.unsent), upTo: 60)
            let expected = version == .resp3 ? replies : replies.map(\.inResp2)
            #expect(ReplyTranscript.read(pieces) == ReplyTranscript(replies: expected))
        }
    }

    private func quoted(_ word: [UInt8]) -> [UInt8] {
        let hex = Array("0123456789abcdef".utf8)
        let escaped = word.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
            case 32...126: [byte]
            default: [UInt8(ascii: "\\"), UInt8(ascii: "x"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
        }
        return [UInt8(ascii: "\"")] + escaped + [UInt8(ascii: "\"")]
    }

    /// Nil if single quotes cannot express the word.
    private func singleQuoted(_ word: [UInt8]) -> [UInt8]? {
        guard !word.contains(0), !word.contains(10), !word.contains(UInt8(ascii: "\\")) else { return nil }
        let escaped = word.flatMap { $0 == UInt8(ascii: "'") ? [UInt8(ascii: "\\"), $0] : [$0] }
        return [UInt8(ascii: "'")] + escaped + [UInt8(ascii: "'")]
    }
}
