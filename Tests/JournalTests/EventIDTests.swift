// Ids of events over restarts: the first answer comes again, and nothing is done twice.

import TestSupport
import Testing

@Suite struct `An event with an id` {
    @Test(arguments: Keeping.endings(ofDatabase: true))
    func `gets its first answer from the next process, too`(keeping: Keeping, isKilled: Bool) throws {
        let home = try Home(keeping)
        var daemon = try home.start()
        var asker = try daemon.asker()
        for name in ["room", "plain"] { _ = try asker.ask("NEW \(name) turns") }
        let words = ["SEND room pass ID k", "SEND room nonsense 7 ID l", "SEND room pass IF 9 ID m", "SEND room pass ID n"]
        let first = try words.map { try asker.ask($0).reply }
        #expect(try asker.ask("SEND plain pass").text == "second")
        for _ in 1...2 {
            daemon = try home.restart(daemon, isKilled: isKilled)
            asker = try daemon.asker()
            #expect(try words.map { try asker.ask($0).reply } == first)
            #expect(try asker.ask("SEND room pass 3 ID k").code == .generic)
            #expect(try asker.ask("STATE room")["version"]?.integer == 2)
        }
        _ = try asker.ask("RESTART room")
        daemon = try home.restart(daemon, isKilled: isKilled)
        asker = try daemon.asker()
        #expect(try asker.ask("STATE room")["version"]?.integer == 0)
        #expect(try asker.ask("SEND room pass ID k").text == "second", "it is another life")
        #expect(try asker.ask("STATE room")["version"]?.integer == 1)
        try home.end(daemon, isKilled: isKilled)
        #expect(
            try home.sql("SELECT count(*) FROM sessions WHERE name = 'plain' AND waiting IS NULL") == "1", "it costs nothing")
    }
}
