// Hostile bytes have the same result whole and in pieces.

import RESP
import Seeds
import Testing

/// Bytes that are nearly right.
private struct HostileBytes {
    private static let alphabet = Array("**$$$\r\n\r\n\r\n0123456789-+:_,#(!=%~>|\"'\\x afEPOST\0\u{FF}".utf8)
    var random: SeededGenerator
    let samples: [[UInt8]]

    mutating func bytes() -> [UInt8] {
        Int.random(in: 0..<4, using: &random) == 0 ? randomBytes() : damaged()
    }

    private mutating func randomBytes() -> [UInt8] {
        (0..<Int.random(in: 0...30, using: &random)).map { _ in letter() }
    }

    private mutating func letter() -> UInt8 {
        Self.alphabet.randomElement(using: &random) ?? 0
    }

    private mutating func damaged() -> [UInt8] {
        var bytes = samples.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = letter()
            case 1: bytes.insert(letter(), at: place)
            case 2: bytes.remove(at: place)
            case 3: bytes.removeLast(bytes.count - place)
            default: bytes.insert(contentsOf: samples.randomElement(using: &random) ?? [], at: place)
            }
        }
        return bytes
    }
}

@Suite struct `Hostile bytes` {
    private static let requests = [
        "*3\r\n$4\r\nSEND\r\n$6\r\nroom-1\r\n$4\r\npass\r\n", "*1\r\n$4\r\nPING\r\n", "PING\r\n", "ECHO \"a\\x41\" 'b\\'c'\n",
        "*0\r\n", "*-1\r\n", "\r\n", "*2\r\n$0\r\n\r\n$12\r\n0123456789ab\r\n", "*10\r\n", "*1\r\n$536870912\r\n",
        "*1\r\n$9223372036854775807\r\n", "*9223372036854775807\r\n", "*1\r\n$18446744073709551616\r\n",
    ]
    private static let replies = [
        "+OK\r\n", "-ERR no\r\n", ":12\r\n", "$5\r\nhello\r\n", "$-1\r\n", "*2\r\n:1\r\n*1\r\n_\r\n", "%1\r\n+a\r\n#t\r\n",
        "~2\r\n,1.5\r\n(123\r\n", ">2\r\n+message\r\n=8\r\ntxt:text\r\n", "|1\r\n+a\r\n:1\r\n+b\r\n", "!5\r\nERR a\r\n",
        "*1048576\r\n", "%524288\r\n", "$536870912\r\n", "$9223372036854775807\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n",
    ]

    @Test func `200,000 hostile requests have the same result whole and in pieces`() {
        let random = SeededGenerator.announced("hostile requests", seed: 21)
        var hostile = HostileBytes(random: random, samples: Self.requests.map { Array($0.utf8) })
        for attempt in 0..<200_000 {
            let bytes = hostile.bytes()
            let limits = attempt % 3 == 0 ? RequestLimits.unauthenticated : .authenticated
            let whole = RequestConversation.transcript(of: [bytes], limits: limits)
            let cut = RequestConversation.transcript(of: hostile.random.cut(bytes, upTo: 9), limits: limits)
            guard whole == cut else {
                Issue.record("attempt \(attempt): \(bytes) is \(whole) at once, and \(cut) in pieces")
                return
            }
        }
    }

    @Test func `200,000 hostile replies have the same result whole and in pieces`() {
        let random = SeededGenerator.announced("hostile replies", seed: 22)
        var hostile = HostileBytes(random: random, samples: Self.replies.map { Array($0.utf8) })
        for attempt in 0..<200_000 {
            let bytes = hostile.bytes()
            let whole = ReplyTranscript.read([bytes])
            let cut = ReplyTranscript.read(hostile.random.cut(bytes, upTo: 9))
            guard whole == cut else {
                Issue.record("attempt \(attempt): \(bytes) is \(whole) at once, and \(cut) in pieces")
                return
            }
        }
    }
}
