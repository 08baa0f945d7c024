// Sessions that begin anew, over a crash: what RESTART and UNDROP have acknowledged is there, with its history, and what they need is kept.

import Foundation
import TestSupport
import Testing

@Suite struct `A session that began anew` {
    private static let flow = """
        { id: "counter", context: { n: { type: "integer", default: 1 } }, initial: "up", events: { add: {} },
          states: { up: { after: { "1m": { name: "turn", target: "down" } }, on: { add: { actions: { assign: { n: "n + 1" } } } } },
                    down: {} } }
        """

    private let folder: Folder
    private var file: String { folder.path + "/counter.json5" }

    init() throws {
        folder = try Folder()
        try Self.flow.write(toFile: file, atomically: true, encoding: .utf8)
    }

    private func start() throws -> (daemon: DaemonProcess, asker: Asker) {
        let daemon = try DaemonProcess(in: folder, ["--durability", "always", "--time", "virtual", "--flows", file])
        try #require(daemon.isUp(), "\(daemon.errors)")
        return (daemon, try daemon.asker())
    }

    private func restart(_ daemon: DaemonProcess, isKilled: Bool) throws -> (daemon: DaemonProcess, asker: Asker) {
        if isKilled { daemon.killIt() } else { #expect(daemon.stop() == 0) }
        return try start()
    }

    private func data(_ asker: Asker) throws -> String? { try asker.ask("STATE room")["data"]?.text }

    private func lines(_ asker: Asker) throws -> [String] {
        try asker.ask("HISTORY room").list.map { "\($0["what"]?.text ?? "") \($0["event"]?.text ?? "")" }
    }

    @Test(arguments: [true, false])
    func `knows after a start what it was begun with, and that it was restarted`(isKilled: Bool) throws {
        var (daemon, asker) = try start()
        _ = try asker.ask(#"NEW room counter "{\"context\":{\"n\":40}}""#)
        _ = try asker.ask("SEND room add")
        _ = try asker.ask("ADVANCE 5s")
        (daemon, asker) = try restart(daemon, isKilled: isKilled)
        #expect(try data(asker) == #"{"n":41}"#)
        let life = try #require(try asker.ask("STATE room")["life"]?.integer)
        #expect(try asker.ask("RESTART room").text == "up")
        #expect(try data(asker) == #"{"n":40}"#)
        for _ in 0..<2 {
            (daemon, asker) = try restart(daemon, isKilled: isKilled)
            #expect(try data(asker) == #"{"n":40}"#)
            #expect(try asker.ask("STATE room")["life"]?.integer == life + 1)
            #expect(try lines(asker) == ["begun RESTART"])
            #expect(try asker.ask("TIMERS room").list.first?["remaining_ms"]?.integer == 60_000)
        }
        #expect(try asker.ask("SESSIONS").list.last?.list.count == 1)
        #expect(daemon.stop() == 0)
        #expect(
            try folder.sql("select what, coalesce(event, '-') from history where name = 'room' order by serial")
                == "begun|-\ntaken|add\ndropped|RESTART\nbegun|RESTART")
    }

    @Test(arguments: [true, false])
    func `is where it was taken back, and no drop is taken back after a start`(isKilled: Bool) throws {
        var (daemon, asker) = try start()
        _ = try asker.ask(#"NEW room counter "{\"context\":{\"n\":40}}""#)
        _ = try asker.ask("SEND room add")
        _ = try asker.ask("ADVANCE 5s")
        _ = try asker.ask("PAUSE room")
        #expect(try asker.ask("DROP room").integer == 1)
        #expect(try asker.ask("UNDROP room").text == "up")
        for _ in 0..<2 {
            (daemon, asker) = try restart(daemon, isKilled: isKilled)
            #expect(try data(asker) == #"{"n":41}"#)
            #expect(try lines(asker) == ["begun UNDROP"])
            let timer = try asker.ask("TIMERS room").list.first
            #expect(timer?["remaining_ms"]?.integer == 55_000)
            #expect(timer?["paused"]?.integer == 1)
        }
        #expect(try asker.ask("RESTART room").text == "up")
        #expect(try data(asker) == #"{"n":40}"#)
        #expect(try asker.ask("DROP room").integer == 1)
        (daemon, asker) = try restart(daemon, isKilled: isKilled)
        let late = try asker.ask("UNDROP room")
        #expect(late.code == .noSession, "\(late)")
        #expect(daemon.stop() == 0)
    }

    @Test func `is whole or not there at all, wherever the daemon is killed`() throws {
        var (daemon, asker) = try start()
        _ = try asker.ask("NEW room counter")
        for round in 0..<6 {
            _ = try asker.ask("SEND room add")
            let life = try #require(try asker.ask("STATE room")["life"]?.integer)
            // Killed at once, whether it has been answered or not.
            asker.send(round.isMultiple(of: 2) ? ["RESTART room"] : ["DROP room", "UNDROP room"])
            if round > 2 { usleep(useconds_t(round) * 700) }
            (daemon, asker) = try restart(daemon, isKilled: true)
            let state = try asker.ask("STATE room")
            if state.code == .noSession {
                #expect(!round.isMultiple(of: 2), "a restart never leaves none")
                _ = try asker.ask("NEW room counter")
                continue
            }
            let now = try #require(state["life"]?.integer)
            #expect(now == life || now == life + 1)
            #expect(try asker.ask("TIMERS room").list.count == 1)
            #expect(try asker.ask("SESSIONS").list.last?.list.count == 1)
        }
        #expect(daemon.stop() == 0)
    }
}
