// Payloads in the history.

import Foundation
import GameFlow
import RESP
import Testing
import Timers
@testable import Simulation

@Suite struct `The payloads in the history` {
    /// Returns the event and payload of each entry, oldest first.
    private func payloads(_ host: RecordedHost, _ session: String) -> [String] {
        host.history(session).reversed().map { "\($0["event"]?.text ?? "?") \($0["payload"]?.text ?? "-")" }
    }

    @Test func `The history keeps a payload as JSON, whether its event was accepted or refused`() throws {
        let host = RecordedHost()
        for line in [
            "NEW room game", "SEND room chooseEpisode 3", "SEND room startPlaying", #"SEND room chooseEpisode {"episode":2}"#,
            "SEND room chooseLevel 77", "SEND room chooseLevel {no", "SEND room chooseLevel one", "SEND room nonsense [1]",
            #"FORCE room finishedLevel {"episode":1,"level":2,"score":3}"#, "FORCE room introduction",
        ] { host.say(line) }
        #expect(
            payloads(host, "room") == [
                "NEW -", "chooseEpisode 3", "startPlaying -", #"chooseEpisode {"episode":2}"#, "chooseLevel 77",
                "chooseLevel {no",
                #"chooseLevel "one""#, "nonsense [1]", #"FORCE {"episode":1,"level":2,"score":3}"#, "FORCE -",
            ])
        #expect(
            host.history("room").reversed().map { $0["code"]?.text ?? "-" } == [
                "-", "NOTRANSITION", "-", "-", "BADEVENT", "BADEVENT", "BADEVENT", "BADEVENT", "-", "-",
            ])
        #expect(host.history("room").reversed().compactMap { $0["version"] }.map(\.json.description).joined() == "0012222234")
    }

    @Test func `The history records a session's creation with its payload`() throws {
        let host = RecordedHost()
        host.say("NEW plain game")
        host.say(#"NEW room game {"state":"choosingLevel","episode":2}"#)
        #expect(payloads(host, "plain") == ["NEW -"])
        #expect(payloads(host, "room") == [#"NEW {"state":"choosingLevel","episode":2}"#])
        let line = try #require(host.history("room").first)
        #expect(line["from"]?.text == "choosingLevel" && line["to"]?.text == "choosingLevel")
    }

    @Test func `The history keeps the payloads of postponed events and of results of work`() throws {
        let host = RecordedHost()
        for line in ["NEW app startup", "SEND app deepLink /news/7", "SEND app deepLink /news/8", "SEND app didLaunch"] {
            host.say(line)
        }
        host.say("SEND app loginRequested")
        #expect(
            payloads(host, "app") == [
                "NEW -", #"deepLink "/news/7""#, #"deepLink "/news/8""#, "didLaunch -",
                #"hydrateSucceeded {"hasSession":false,"userID":""}"#, "loginRequested -",
                #"loginSucceeded {"userID":"guest"}"#, #"deepLink "/news/7""#, #"deepLink "/news/8""#,
            ])
        #expect(try host.replay("app").verdict == .agrees)
    }

    @Test func `The history truncates a long payload, and marks its end`() throws {
        let host = RecordedHost()
        host.say("NEW app startup")
        let text = String(repeating: "ü", count: 1_000)
        host.say("SEND app loginFailed \(text)")
        let kept = try #require(host.history("app")[0]["payload"]?.text)
        #expect(kept.utf8.count <= JSON.maxKept + 3)
        #expect(kept.hasPrefix("\"üü") && kept.hasSuffix("ü…"))
        #expect((try? JSON(parsing: kept)) == nil)
    }

    @Test func `A history entry has the wall-clock time at which it happened`() throws {
        let host = RecordedHost()
        host.say("NEW room turns")
        host.say("SEND room pass")
        host.say("ADVANCE 10s")
        let line = host.history("room")[0]
        guard case .integer(let at)? = line["at_ms"], case .integer(let ago)? = line["ago_ms"] else {
            return #expect(Bool(false), "\(line)")
        }
        #expect(ago == 10_000)
        #expect(abs(Date.now.timeIntervalSince1970 * 1_000 - Double(at + ago)) < 5_000)
    }
}
