import Testing

@testable import Cluster

/// The slots are the replies of redis-server 7 to CLUSTER KEYSLOT.
@Suite struct `A hash slot` {
    @Test(arguments: [
        ("", 0), ("room-7", 4337), ("main", 12501), ("foo", 12182), ("bar", 5061), ("123456789", 12739), ("a", 15495),
        ("session:0f8fad5b-d9cb-469f-a165-70867728950e", 11891), ("Zürich", 5420),
    ])
    func `A name has the slot that Redis gives it`(name: String, slot: Int) {
        #expect(HashSlot.of(name) == slot)
    }

    @Test(arguments: [
        ("{room-7}:left", 4337), ("{a}", 15495), ("{user1000}.following", 3443), ("a{b}{c}", 3300), ("foo{{bar}}zap", 4015),
        ("x}{y}", 12222), ("café{münchen}", 6659),
    ])
    func `The text in the first braces of a name decides its slot`(name: String, slot: Int) {
        #expect(HashSlot.of(name) == slot)
    }

    @Test(arguments: [("{}room", 1178), ("foo{}{bar}", 8363), ("{room", 3873), ("room}", 12591)])
    func `Braces that are empty or not closed do not decide the slot of a name`(name: String, slot: Int) {
        #expect(HashSlot.of(name) == slot)
    }

    @Test func `A name of any bytes has a slot`() {
        let name: [UInt8] = [0x00, 0xFF, 0x80, UInt8(ascii: "{"), 0xFE, 0x00, UInt8(ascii: "}")]
        #expect(name.withUnsafeBytes { HashSlot.of($0) } == 12494)
    }
}
