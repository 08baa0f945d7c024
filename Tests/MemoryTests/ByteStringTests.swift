import Memory
import Testing

@Suite struct `A name of bytes` {
    private func name(_ bytes: [UInt8]) -> ByteString { bytes.withUnsafeBytes { ByteString($0) } }

    @Test func `A name of bytes differs from a name that is equal only by Unicode normalization`() {
        let (one, two) = (ByteString("caf\u{e9}"), ByteString("cafe\u{301}"))
        #expect("caf\u{e9}" == "cafe\u{301}")
        #expect(one != two)
        #expect(Set([one, two]).count == 2)
        #expect(one == name(Array("caf\u{e9}".utf8)))
    }

    @Test func `A name of bytes may be invalid UTF-8, and can still be shown`() {
        let (one, two) = (name([0xFF, 0xFE]), name([0xFF, 0xFD]))
        #expect(one != two)
        #expect(one.text == "\u{FFFD}\u{FFFD}" && two.text == one.text)
        #expect(one.withBytes { Array($0) } == [0xFF, 0xFE])
        #expect(two < one)
        #expect(name([]).isEmpty && name([]).text == "")
    }

    @Test func `A name of bytes is concatenated as bytes`() {
        #expect("session:" + name([0xFF]) == name(Array("session:".utf8) + [0xFF]))
    }
}
