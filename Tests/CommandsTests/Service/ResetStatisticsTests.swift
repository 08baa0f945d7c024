// CONFIG RESETSTAT and the section Time of INFO.

import Testing

@Suite struct `The statistics of time` {
    @Test func `CONFIG RESETSTAT sets all counts of INFO's section Time to 0, and later timers count from there`() throws {
        let conversation = Conversation()
        let run = { (lines: [String]) in for line in lines { _ = try conversation.send(line: line) } }
        let counts = {
            try (conversation.ask("INFO time").text ?? "").split(whereSeparator: \.isNewline).filter { $0.hasPrefix("timers_") }
        }
        try run(["NEW a turns", "NEW b turns", "SEND a pass", "ADVANCE 30s", "DROP b"])
        #expect(try counts() == ["timers_fired:2", "timers_armed:5", "timers_cancelled:2"])
        #expect(try conversation.ask("CONFIG RESETSTAT").text == "OK")
        #expect(try counts() == ["timers_fired:0", "timers_armed:0", "timers_cancelled:0"])
        try run(["SEND a pass"])
        #expect(try counts() == ["timers_fired:0", "timers_armed:1", "timers_cancelled:1"])
    }
}
