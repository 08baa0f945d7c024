// Timers and variables of running sessions that the changed flow lacks.

import GameFlow
import RESP
import TestSupport
import Testing
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Logging
@testable import Sessions

@Suite struct `Timers and variables that a changed flow lacks` {
    private func quiz(_ timer: String) throws -> FlowKind {
        try .chart(
            text: """
                { id: "quiz", initial: "asking",
                  states: { asking: { after: { "20s": { name: "\(timer)", target: "over" } } }, over: {} } }
                """)
    }

    @Test func `RELOAD and RELOAD DRY warn of each running timer that the changed flow lacks, with its remaining time`() throws
    {
        let daemon = try ReloadingDaemon([try quiz("answer")])
        daemon.run("NEW room quiz", "ADVANCE 8s")
        let warning = "session 'room' in state 'asking': its timer 'answer' has no counterpart in the new file and"
        #expect(
            daemon.reload([try quiz("patience")], "RELOAD DRY") == [
                "quiz: would change, 1 session would continue", "\(warning) would end, with 12s left",
            ])
        #expect(daemon.reload([try quiz("answer")]) == ["quiz: changed, 1 session continues"])
        #expect(
            daemon.reload([try quiz("patience")]) == [
                "quiz: changed, 1 session continues", "\(warning) ends, with 12s left",
            ])
        #expect(daemon.sessions.find("room")?.machine.timers.isEmpty == true)
        #expect(daemon.reload([try quiz("answer")]) == ["quiz: changed, 1 session continues"], "it had ended before")
    }

    @Test func `RELOAD FULL counts the timers that end, and the reply names the first ten of a flow`() throws {
        let daemon = try ReloadingDaemon([try quiz("answer")])
        for number in 0..<12 { daemon.say("NEW s\(number) quiz") }
        daemon.files.next.kinds = [try quiz("patience")]
        let lines = daemon.say("RELOAD FULL").list
        #expect(lines.map { $0["about"]?.text } == ["flow"] + Array(repeating: "warning", count: 11))
        #expect(lines.first?["timers_ended"]?.integer == 12 && lines.first?["continued"]?.integer == 12)
        #expect(lines.last?["text"]?.text == "flow 'quiz': 2 more timers without a counterpart in the new file end")
    }

    /// A score with these variables.
    private func score(_ context: String) throws -> FlowKind {
        try .chart(text: "{ id: 'score', context: { \(context) }, states: { on: {} } }")
    }

    @Test func `RELOAD and RELOAD DRY warn of each variable that the changed flow lacks, with its value`() throws {
        let daemon = try ReloadingDaemon([try score("points: 0, name: '', lives: 3")])
        daemon.run(#"NEW red score {"context":{"points":2,"name":"ann"}}"#)
        let warning = "session 'red' in state 'on': its variable 'points' has no counterpart in the new file and"
        let dry = daemon.reload([try score("name: '', goals: 0")], "RELOAD DRY")
        #expect(dry == ["score: would change, 1 session would continue", "\(warning) would be lost, with the value 2"])
        let reply = daemon.reload([try score("name: '', goals: 0")])
        #expect(
            reply == ["score: changed, 1 session continues", "\(warning) is lost, with the value 2"],
            "the variable 'lives' has its default")
        #expect(daemon.say("STATE red")["data"]?.text == #"{"name":"ann","goals":0}"#)
        let back = daemon.reload([try score("points: 0, name: '', goals: 0")])
        #expect(back == ["score: changed, 1 session continues"], "it was lost before")
    }

    @Test
    func `RELOAD warns of a variable that the changed flow lacks, of a set-aside session, unless it has its initial value`()
        throws
    {
        let daemon = try ReloadingDaemon([try score("points: 0, lives: 3")])
        daemon.run(#"NEW red score {"context":{"points":2}}"#, "NEW blue score")
        daemon.reload(gone: ["score"])
        let reply = daemon.reload([try score("")])
        #expect(reply.count == 2 && reply.first == "score: new, 2 sessions are restored", "\(reply)")
        #expect(reply.last?.hasPrefix("session 'red' in state 'on': its variable 'points' has no counterpart") == true)
    }

    @Test func `RELOAD FULL counts the variables that are lost, and the reply names the first ten of a flow`() throws {
        let daemon = try ReloadingDaemon([try score("word: ''")])
        let word = String(repeating: "x", count: 100)
        for number in 0..<12 { daemon.say(#"NEW s\#(number) score {"context":{"word":"\#(word)"}}"#) }
        daemon.files.next.kinds = [try score("")]
        let lines = daemon.say("RELOAD FULL").list
        #expect(lines.map { $0["about"]?.text } == ["flow"] + Array(repeating: "warning", count: 11))
        #expect(lines.first?["variables_lost"]?.integer == 12 && lines.first?["timers_ended"]?.integer == 0)
        #expect(lines.dropFirst().first?["text"]?.text?.hasSuffix("is lost, with the value \"\(word.prefix(63))…") == true)
        #expect(lines.last?["text"]?.text == "flow 'score': 2 more variables without a counterpart in the new file are lost")
    }

    @Test func `RELOAD warns of a running timer that the changed flow lacks, of a set-aside session that it restores`() throws {
        let daemon = try ReloadingDaemon([try quiz("answer")])
        daemon.run("NEW room quiz", "ADVANCE 8s")
        daemon.reload(gone: ["quiz"])
        daemon.run("ADVANCE 2s")
        let reply = daemon.reload([try quiz("patience")])
        #expect(reply.first == "quiz: new, 1 session is restored")
        #expect(reply.last?.hasSuffix("its timer 'answer' has no counterpart in the new file and ends, with 10s left") == true)
    }

    @Test func `RETRY logs a running timer that the changed flow lacks, and replies with the state alone`() throws {
        final class Lines { var all: [String] = [] }
        let lines = Lines()
        let log = Log(level: .warning, style: .dated) { line in
            lines.all.append(String(decoding: line, as: UTF8.self))
            return true
        }
        let daemon = try ReloadingDaemon([try quiz("answer"), ReloadingDaemon.old()], log: log)
        daemon.run("NEW room quiz", "ADVANCE 8s")
        daemon.reload(gone: ["quiz"])
        daemon.run("NEW other shop")
        // There is no room for the session when its flow is back.
        daemon.stepped.daemon.limits.sessions = 1
        let reply = daemon.reload([try quiz("patience")])
        #expect(reply == ["quiz: new, 1 session is set aside: limit of 1 sessions reached"])
        daemon.stepped.daemon.limits.sessions = 2
        #expect(!lines.all.contains { $0.contains("counterpart") })
        #expect(daemon.say("RETRY room").text == "asking")
        let warning = "session 'room' in state 'asking': its timer 'answer' has no counterpart in the new file"
        #expect(lines.all.last?.hasSuffix("warning: \(warning) and ends, with 12s left\n") == true, "\(lines.all)")
    }
}
