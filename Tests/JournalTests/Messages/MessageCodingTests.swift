// Messages as bytes: decoding returns the message that was encoded, and reports damage.

import GameFlow
import Testing
@testable import Journal
@testable import Sessions

@Suite struct `Messages as bytes` {
    private static let contents: [Message.Content] = [
        .event("hit", data: nil), .event("hit", data: ["n": 1, "who": "ännchen"]), .event("hit", data: nil, ofChild: 7),
        .begin(flow: "kid", context: ["a": [1, .number(2.5), .null]], invocation: .max), .drop,
        .relink(invocation: 1 << 40, stage: nil), .relink(invocation: 1, stage: .lost),
        .child(ChildUpdate("kid", 7, .done(output: ["points": 3]))), .child(ChildUpdate("kid", nil, .forgotten)),
        .child(ChildUpdate("kid", nil, .restored)),
        .child(ChildUpdate("kid", 1, .lost(.noSession, sentence: "it is gone"))),
        .child(ChildUpdate("kid", 1, .setAside(sentence: "it does not fit"))),
        .returned(event: "hit", code: .badEvent, sentence: "nobody knows it"),
    ]

    @Test(arguments: contents.indices) func `A message as bytes is decoded as it was`(_ index: Int) throws {
        let message = Message(from: "room-7", to: "", after: 4_095, Self.contents[index])
        #expect(try Message(bytes: message.bytes) == message)
    }

    @Test(arguments: contents.indices) func `A message as bytes is refused if any byte is missing or added`(_ index: Int) {
        let bytes = Message(from: "a", to: "b", Self.contents[index]).bytes
        for count in bytes.indices {
            #expect(throws: DamagedMessage.self) { try Message(bytes: Array(bytes[..<count])) }
        }
        #expect(throws: DamagedMessage.self) { try Message(bytes: bytes + [0]) }
    }

    @Test(arguments: contents.indices) func `A message as bytes with any byte changed does not trap`(_ index: Int) {
        let bytes = Message(from: "a", to: "b", Self.contents[index]).bytes
        for spot in bytes.indices {
            for value: UInt8 in [0, 1, 0x7f, 0x80, 0xff] {
                var damaged = bytes
                damaged[spot] = value
                _ = try? Message(bytes: damaged)
            }
        }
    }

    @Test func `A message of a newer version is refused`() {
        var bytes = Message(from: "a", to: "b", .drop).bytes
        bytes[0] = 2
        #expect { try Message(bytes: bytes) } throws: { "\($0)" == "it is of version 2, and this gamed reads version 1" }
    }
}

extension DamagedMessage: CustomTestStringConvertible {
    public var testDescription: String { description }
}
