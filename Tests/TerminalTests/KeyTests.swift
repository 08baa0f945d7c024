// Keys, from the bytes of a terminal.

import Terminal
import Testing

@Suite struct `Keys` {
    @Test(arguments: [
        ("a", [Key.character("a")]), ("é日😀", [.character("é"), .character("日"), .character("😀")]),
        ("\r\n\t\u{7f}\u{8}", [.enter, .enter, .tab, .backspace, .backspace]), ("\u{4}\u{15}\u{1}", [.end, .clear, .other]),
        ("\u{1b}", [.escape]), ("\u{1b}[Z", [.backTab]),
        ("\u{1b}OP\u{1b}[1;5Cx", [.other, .other, .character("x")]),
        ("\u{1b}[A\u{1b}OB\u{1b}[5~\u{1b}[6~\u{1b}[H\u{1b}[1~", [.up, .down, .pageUp, .pageDown, .home, .home]),
    ])
    func `Keys are decoded from a terminal's bytes`(bytes: String, keys: [Key]) {
        var reader = KeyReader()
        #expect(reader.read(bytes.utf8) == keys)
    }

    @Test(arguments: [[0xe9] as [UInt8], [0xff], [0xf0, 0x9f], [0xc1], [0xc3]])
    func `Bytes that begin no character do not swallow the next keys`(bytes: [UInt8]) {
        var reader = KeyReader()
        _ = reader.read(bytes)
        #expect(reader.read([0x71]).last == .character("q"))
        #expect(reader.read([0x04]) == [.end])
    }

    @Test func `Keys are decoded from pieces, and an invalid byte is not a character`() {
        var reader = KeyReader()
        #expect(reader.read([0xe6]) == [])
        #expect(reader.read([0x97]) == [])
        #expect(reader.read([0xa5, 0xff, 0x61]).first == .character("日"))
        var other = KeyReader()
        #expect(other.read([0x80, 0x61]) == [.other, .character("a")])
    }
}
