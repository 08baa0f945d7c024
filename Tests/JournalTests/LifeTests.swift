// Sessions that have had the same name, one after the other.

import TestSupport
import Testing

@Suite struct `A session's life` {
    private static let words = ["--durability", "always", "--time", "virtual"]

    @Test(arguments: Keeping.endings(ofDatabase: true))
    func `A session of a reused name has its own life and history, over restarts`(keeping: Keeping, isKilled: Bool) throws {
        let home = try Home(keeping)
        var daemon = try home.start()
        var asker = try daemon.asker()
        var lives: [Int] = []
        // Refused lines leave the version at 0, so only the life tells which session owns them.
        for round in 0..<3 {
            _ = try asker.ask("NEW a turns")
            lives.append(try #require(asker.ask("STATE a")["life"]?.integer))
            for number in 0..<round + 1 { #expect(try asker.ask("SEND a nothing\(number)").isError) }
            if round < 2 { _ = try asker.ask("DROP a") }
        }
        #expect(lives[0] > 0 && lives[0] < lives[1] && lives[1] < lives[2])
        for _ in 1...2 {
            #expect(try asker.ask("HISTORY a").list.count == 4)
            try home.end(daemon, isKilled: isKilled)
            daemon = try home.start()
            asker = try daemon.asker()
            #expect(try asker.ask("STATE a")["life"]?.integer == lives[2])
        }
        #expect(try asker.ask("HISTORY a").list.count == 4)
        _ = try asker.ask("DROP a")
        _ = try asker.ask("NEW a turns")
        #expect(try asker.ask("HISTORY a").list.map { $0["what"]?.text } == ["begun"])
        try home.end(daemon, isKilled: true)
        daemon = try home.start()
        #expect(try daemon.ask("HISTORY a").list.map { $0["what"]?.text } == ["begun"])
        #expect(try #require(daemon.ask("STATE a")["life"]?.integer) > lives[2])
        #expect(try daemon.ask("NEW b turns").text == "first")
        #expect(try #require(daemon.ask("STATE b")["life"]?.integer) > lives[2] + 1)
        try home.end(daemon, isKilled: false)
        #expect(try home.sql("select count(distinct life) from history where name = 'a'") == "4")
    }

    @Test func `stands in messages and in the tables`() throws {
        let folder = try Folder()
        let daemon = try DaemonProcess(in: folder, Self.words)
        #expect(daemon.isUp())
        let (asker, listener) = (try daemon.asker(), try daemon.asker())
        _ = try listener.ask("SUBSCRIBE session:a")
        _ = try asker.ask("NEW a turns")
        _ = try asker.ask("SEND a pass")
        let life = try #require(asker.ask("STATE a")["life"]?.integer)
        for version in 0...1 {
            let message = try #require(listener.next().list.last?.text)
            #expect(message.contains("\"life\":\(life),\"version\":\(version)"), "\(message)")
        }
        #expect(daemon.stop() == 0)
        #expect(try folder.sql("select distinct s.life, h.life from sessions s, history h") == "\(life)|\(life)")
    }
}
