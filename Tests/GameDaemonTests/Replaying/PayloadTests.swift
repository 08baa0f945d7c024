// Payloads in the history.

import Foundation
import GameFlow
import RESP
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import Simulation
@testable import SQLiteStore

@Suite struct `The payloads in the history` {
    /// Returns the event and payload of each entry, oldest first.
    private func payloads(_ stage: Stage, _ session: String) -> [String] {
        stage.history(session).reversed().map { "\($0["event"]?.text ?? "?") \($0["payload"]?.text ?? "-")" }
    }

    @Test func `The history keeps a payload as JSON, whether its event was accepted or refused`() throws {
        let stage = try Stage()
        for line in [
            "NEW room game", "SEND room chooseEpisode 3", "SEND room startPlaying", #"SEND room chooseEpisode {"episode":2}"#,
            "SEND room chooseLevel 77", "SEND room chooseLevel {no", "SEND room chooseLevel one", "SEND room nonsense [1]",
            #"FORCE room finishedLevel {"episode":1,"level":2,"score":3}"#, "FORCE room introduction",
        ] { stage.say(line) }
        #expect(
            payloads(stage, "room") == [
                "NEW -", "chooseEpisode 3", "startPlaying -", #"chooseEpisode {"episode":2}"#, "chooseLevel 77",
                "chooseLevel {no",
                #"chooseLevel "one""#, "nonsense [1]", #"FORCE {"episode":1,"level":2,"score":3}"#, "FORCE -",
            ])
        #expect(
            stage.history("room").reversed().map { $0["code"]?.text ?? "-" } == [
                "-", "NOTRANSITION", "-", "-", "BADEVENT", "BADEVENT", "BADEVENT", "BADEVENT", "-", "-",
            ])
        #expect(stage.history("room").reversed().compactMap { $0["version"] }.map(\.json.description).joined() == "0012222234")
    }

    @Test func `The history records a session's creation with its payload`() throws {
        let stage = try Stage()
        stage.say("NEW plain game")
        stage.say(#"NEW room game {"state":"choosingLevel","episode":2}"#)
        #expect(payloads(stage, "plain") == ["NEW -"])
        #expect(payloads(stage, "room") == [#"NEW {"state":"choosingLevel","episode":2}"#])
        let line = try #require(stage.history("room").first)
        #expect(line["from"]?.text == "choosingLevel" && line["to"]?.text == "choosingLevel")
    }

    @Test func `The history keeps the payloads of postponed events and of results of work`() throws {
        let stage = try Stage()
        for line in ["NEW app startup", "SEND app deepLink /news/7", "SEND app deepLink /news/8", "SEND app didLaunch"] {
            stage.say(line)
        }
        stage.say("SEND app loginRequested")
        #expect(
            payloads(stage, "app") == [
                "NEW -", #"deepLink "/news/7""#, #"deepLink "/news/8""#, "didLaunch -",
                #"hydrateSucceeded {"hasSession":false,"userID":""}"#, "loginRequested -",
                #"loginSucceeded {"userID":"guest"}"#, #"deepLink "/news/7""#, #"deepLink "/news/8""#,
            ])
        #expect(try stage.replay("app").verdict == .agrees)
    }

    @Test func `The history truncates a long payload, and marks its end`() throws {
        let stage = try Stage()
        stage.say("NEW app startup")
        let text = String(repeating: "ü", count: 1_000)
        stage.say("SEND app loginFailed \(text)")
        let kept = try #require(stage.history("app")[0]["payload"]?.text)
        #expect(kept.utf8.count <= JSON.maxKept + 3)
        #expect(kept.hasPrefix("\"üü") && kept.hasSuffix("ü…"))
        #expect((try? JSON(parsing: kept)) == nil)
    }

    @Test func `A history entry has the wall-clock time at which it happened`() throws {
        let stage = try Stage()
        stage.say("NEW room turns")
        stage.say("SEND room pass")
        stage.say("ADVANCE 10s")
        let line = stage.history("room")[0]
        guard case .integer(let at)? = line["at_ms"], case .integer(let ago)? = line["ago_ms"] else {
            return #expect(Bool(false), "\(line)")
        }
        #expect(ago == 10_000)
        #expect(abs(Date.now.timeIntervalSince1970 * 1_000 - Double(at + ago)) < 5_000)
    }
}

@Suite struct `A backup's place` {
    private let folder = FileManager.default.temporaryDirectory.path

    @Test(arguments: ["a.db", "sub/gamed.db", "../gamed.db"])
    func `A backup's relative path is resolved in the data directory`(text: String) throws {
        #expect(try BackupPath(text, besides: folder).path == folder + "/" + text)
        #expect(try BackupPath("/x/gamed.db", besides: folder).path == "/x/gamed.db")
    }

    @Test(arguments: ["", "a/", "a\0b", "gamed.db-journal", "./gamed.db", "gamed.lock", String(repeating: "x", count: 5_000)])
    func `A backup's path is refused if it is malformed or could be one of the store's own files`(text: String) {
        #expect(throws: CommandError.self) { try BackupPath(text, besides: folder) }
    }
}
