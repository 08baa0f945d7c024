// The venue's daemon as the staff starts and uses it.

import Foundation
import Programs
import Testing

@Suite struct `The venue's daemon` {
    private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func `An escape room is played with locks, and led by a master`() throws {
        let devices = Self.package.appending(path: "devices.json").path
        let venue = try RunningDaemon("venue", "--bluetooth", devices)
        #expect(try venue.execute("FLOWS") == "escapeRoom", "the venue does not host the built-in flows")
        #expect(try venue.execute("NEW", "room", "escapeRoom", #"{"context":{"minutes":30}}"#) == "lobby")
        #expect(try venue.execute("SEND", "room", "letIn") == "cellar")
        #expect(try venue.execute("BLUETOOTH", "NOTIFY", "vault-lock", "opened") == "0")
        #expect(try venue.execute("BLUETOOTH", "NOTIFY", "cellar-lock", "opened") == "1")
        #expect(try venue.execute("PAUSE", "room") == "OK")
        let left = try #require(Int(try venue.execute("EXTEND", "room", "hour", "5m")))
        #expect((34 * 60_000...35 * 60_000).contains(left))
        #expect(try venue.execute("EXTEND", "room", "hour", "0s") == "\(left)", "the clock is paused")
        #expect(try venue.execute("RESUME", "room") == "OK")
        #expect(try venue.execute("EXTEND", "room", "hour", "-2h") == "0")
        #expect(try venue.wait(for: "reset", "EVENTS", "room") == "reset")
        #expect(try venue.execute("STATE", "room").contains("state\nlockedIn\n"))
        #expect(try venue.execute("FORCE", "room", "vault", #"{"run":{"hints":0}}"#) == "vault", "the master forces a state")
        let again = try #require(Int(try venue.execute("EXTEND", "room", "hour", "0s")))
        #expect((29 * 60_000...30 * 60_000).contains(again), "a new hour of 30 minutes has started")
    }

    @Test func `The hour of an escape room continues after a crash`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "venue-\(UUID().uuidString.prefix(8))")
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try RunningDaemon("venue", "--durability", "always", "--session", "room=escapeRoom", in: folder)
        #expect(try first.execute("SEND", "room", "letIn") == "cellar")
        #expect(try first.execute("SEND", "room", "askHint") == "cellar")
        first.kill()
        let second = try RunningDaemon("venue", "--durability", "always", "--session", "room=escapeRoom", in: folder)
        #expect(try second.wait(for: "unlock", "EVENTS", "room") == "unlock")
        let left = try #require(Int(try second.execute("EXTEND", "room", "hour", "0s")))
        #expect((3_500_000..<3_600_000).contains(left))
        let replay = try Program("venue", "replay", "room", "--socket", second.socket)
        #expect(replay.output == "room: 2 events, ends in 'cellar' as recorded\n", "\(replay.errors)")
        #expect(replay.status == 0)
    }

    @Test func `The programs of a test do not read the settings of this machine`() throws {
        #expect(try Program("env").output.contains("GAMED_CONFIG=none\n"))
    }

    @Test func `The venue's scenario passes`() throws {
        let test = try Program("venue", "test", "escape.scenario", at: Self.package)
        #expect(test.status == 0, "\(test.output)\(test.errors)")
        #expect(test.output.contains("\nok 1 - escape.scenario ("))
    }

    @Test func `The venue's program refuses a scenario of a flow that it does not have`() throws {
        let game = Self.package.deletingLastPathComponent().appending(path: "Scenarios/game.scenario").path
        let test = try Program("venue", "test", game)
        #expect(test.status == 65)
        #expect(test.output.contains("there is no flow 'game'; available: escapeRoom"))
    }

    @Test func `The venue's program uses its own name in help, errors and checks`() throws {
        let devices = Self.package.appending(path: "devices.json").path
        let check = try Program("venue", "--check", "--session", "room=escapeRoom", "--bluetooth", devices, "--data", "none")
        #expect(check.output.hasPrefix("would print: venue (gamed "))
        #expect(check.output.hasSuffix("flows: escapeRoom (6 states)\nall is well\n"), "\(check.errors)")
        #expect(try Program("venue", "--help").output.hasPrefix("usage: venue [options]\n"))
        #expect(try Program("venue", "test", "--help").output.contains("\nexamples:\n  venue test "))
        #expect(try Program("venue", "--sesion", "a=b").errors.hasPrefix("venue: unknown option '--sesion'"))
        #expect(try Program("venue", "--session", "a=game", "--check").errors.contains("no flow 'game'"))
        let replay = try Program("venue", "replay", "room", "--socket", "/nowhere/socket")
        #expect(replay.errors.hasSuffix("start one with: venue --socket /nowhere/socket\n"))
        #expect(replay.errors.hasPrefix("venue: ") && replay.status == 2)
    }
}
