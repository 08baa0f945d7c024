// Session names: valid bytes and comparison.

import Testing

@Suite struct `A session's name` {
    private func word(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `A session's name is valid text without control characters, and not a dot segment`() throws {
        let conversation = Conversation()
        let names: [[UInt8]] = [
            [0xFF, 0xFE], [0x61, 0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0], word("two\nlines"), word("\u{1B}[2J"),
            word("a\u{7F}"),
            word("a\u{9B}31m"), word("."), word(".."), [],
        ]
        for name in names {
            let answer = try conversation.ask(word("NEW"), name, word("turns"))
            #expect(answer.code == .badName, "\(name): \(answer)")
            let missing = try conversation.ask(word("STATE"), name)
            #expect(missing.code == .noSession && missing.sentence?.contains("creates one") == false, "\(name): \(missing)")
        }
        #expect(try conversation.ask("SESSIONS").list.last?.list.isEmpty == true)
        for name in ["é", "a b", "...", ".a", "👩‍🚀", "\u{202E}x", "日本"] {
            #expect(try conversation.ask(word("NEW"), word(name), word("turns")).text == "first")
        }
    }

    @Test func `The error for a missing session suggests NEW with its whole name, which it quotes if that has blanks`() throws {
        let (conversation, long) = (Conversation(), String(repeating: "x", count: 255))
        for (name, quoted, shown) in [("a b", "'a b'", "a b"), (long, long, "\(long.prefix(64))…")] {
            #expect(
                try conversation.ask(word("STATE"), word(name)).sentence
                    == "there is no session '\(shown)'; NEW \(quoted) FLOW creates one")
        }
    }

    @Test(arguments: [
        ("", "a session's name has 1 to 255 bytes, and not 0"), ("..", "a session is not called '..'"),
        (String(repeating: "x", count: 256), "a session's name has 1 to 255 bytes, and not 256"),
        ("two\nlines", "a session's name has no control characters, and this one has"),
    ])
    func `The error for a missing session has the reason for which NEW refuses its name`(name: String, rule: String) throws {
        let conversation = Conversation()
        let refused = try #require(try conversation.ask(word("NEW"), word(name), word("turns")).sentence)
        #expect(refused.hasPrefix(rule))
        let missing = try #require(try conversation.ask(word("STATE"), word(name)).sentence)
        #expect(missing.hasPrefix("there is no session '") && missing.hasSuffix("'; \(refused)"), "\(missing)")
    }

    @Test func `A session's name is compared byte by byte`() throws {
        let conversation = Conversation()
        let (composed, decomposed) = (word("caf\u{E9}"), word("cafe\u{301}"))
        #expect(try conversation.ask(word("NEW"), composed, word("turns")).text == "first")
        #expect(try conversation.ask(word("STATE"), decomposed).code == .noSession)
        #expect(try conversation.ask(word("NEW"), decomposed, word("turns")).text == "first")
        #expect(try conversation.ask(word("SEND"), composed, word("pass")).text == "second")
        #expect(try conversation.ask(word("STATE"), decomposed)["state"]?.text == "first")
        #expect(try conversation.ask(word("DROP"), composed).integer == 1)
        #expect(try conversation.ask(word("STATE"), decomposed)["state"]?.text == "first")
    }
}
