// Text that is printed: sanitized, shortened, fitted into columns, and suggested.

import Texts
import Testing

@Suite struct `Untrusted text` {
    @Test(arguments: [
        ("two\nlines", #"two\nlines"#), ("back\rto the start", #"back\rto the start"#), ("a\tb", #"a\tb"#),
        ("\r\n", #"\r\n"#), ("\u{1b}[31mred", #"\u{1b}[31mred"#), ("\u{9b}31m", #"\u{9b}31m"#), ("\u{7f}", #"\u{7f}"#),
        ("turned \u{202e}around", #"turned \u{202e}around"#), ("a\u{2028}b", #"a\u{2028}b"#),
        ("in\u{200b}visible", #"in\u{200b}visible"#), ("déjà vu 日本 👩‍👧", "déjà vu 日本 👩‍👧"), (#"C:\dir"#, #"C:\dir"#), ("", ""),
    ])
    func `Untrusted text is on one line, with control characters escaped`(text: String, shown: String) {
        #expect(text.printable == shown)
    }

    @Test func `Untrusted text of several lines keeps its lines and tabs`() {
        #expect("a\tb\r\nc\u{1b}\n".printableLines == "a\tb\nc\\u{1b}\n")
    }

    @Test func `Untrusted text in a record cannot imitate an escape, and is truncated`() {
        #expect(#"not \n a line end"#.printableRecord(limit: 100) == #"not \\n a line end"#)
        #expect("a\nb".printableRecord(limit: 100) == #"a\nb"#)
        #expect(String(repeating: "x", count: 100).printableRecord(limit: 10) == "xxxxxxxxxx…")
    }

    @Test func `Untrusted text is shortened by scalars, and cut by bytes without splitting one`() {
        #expect(String(repeating: "é", count: 70).shortened == String(repeating: "é", count: 64) + "…")
        #expect(String(repeating: "é", count: 64).shortened == String(repeating: "é", count: 64))
        #expect("aéé".cut(to: 4) == "a…")
        #expect("aé".cut(to: 3) == "aé")
    }
}

@Suite struct `A text's width` {
    @Test(arguments: [
        ("room", 4), ("naïve", 5), ("nai\u{308}ve", 5), ("日本", 4), ("한", 2), ("😀", 2), ("⌚", 2), ("❤\u{fe0f}", 2), ("👩‍👧", 2),
        ("→", 1), ("█▍", 2), ("\u{301}", 0), ("", 0),
    ])
    func `The width of a text is its number of columns on a terminal`(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test func `A text is clipped and padded to a width in columns`() {
        #expect("room".clipped(to: 4) == "room")
        #expect("room-1".clipped(to: 4) == "roo…")
        #expect("日本語".clipped(to: 5) == "日本…")
        #expect("日本語".clipped(to: 4) == "日…")
        #expect("room".clipped(to: 0) == "")
        #expect("日".padded(to: 4) == "日  ")
        #expect("9s".leftPadded(to: 4) == "  9s")
    }
}

@Suite struct `Columns` {
    @Test func `Columns are as wide as their widest cell, and the last is not padded`() {
        #expect(TextColumns.lines([["a", "bb"], ["ccc", "d"]], indent: 1) == [" a    bb", " ccc  d"])
    }

    @Test func `A first cell that is too wide gets a line of its own`() {
        #expect(TextColumns.lines([["a", "b"], ["too wide", "c"]], widest: 4) == ["a  b", "too wide", "   c"])
    }

    @Test func `Columns of prose are wrapped at spaces`() {
        #expect(TextColumns.wrapped("one two three", to: 8) == "one two\nthree")
        #expect(TextColumns.wrapped("日本語 日本語 語", to: 9) == "日本語\n日本語 語")
        #expect(TextColumns.wrapped("  as it is, however long", to: 8) == "  as it is, however long")
    }
}

@Suite struct `A mistyped word` {
    @Test(arguments: [("stat", "state"), ("snd", "send"), ("sedn", "send"), ("expct-timer", "expect-timer")])
    func `A mistyped word gets the nearest word as a suggestion`(word: String, meant: String) {
        #expect(Suggestion.closest(to: word, among: ["send", "state", "expect-timer", "expect-timers"]) == meant)
    }

    @Test func `A word that resembles no other gets no suggestion`() {
        #expect(Suggestion.closest(to: "xyzzy", among: ["send", "state"]) == nil)
    }
}
