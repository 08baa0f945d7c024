// A session's history, run through its flow again.

import GameFlow
import RESP
import Seeds
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Simulation

@Suite struct `A replay of a history` {
    @Test(arguments: RecordedHost.flows)
    func `A replay of a random session's history agrees with the recording`(flow: String) throws {
        var random = SeededGenerator.announced("replay of \(flow)", seed: 11)
        for round in 0..<30 {
            let host = RecordedHost()
            host.run("NEW", "room", flow)
            for _ in 0..<80 { try host.runRandomCommand(on: "room", &random) }
            let recorded = try host.record("room")
            #expect(recorded.lines.count > 20 && !recorded.hasGaps)
            let report = try #require(HistoryReplay.run(recorded))
            #expect(report.verdict == .agrees, "round \(round): \(recorded.lines)")
            #expect(report.isComplete)
            #expect(report.steps.count == recorded.lines.count)
        }
    }

    @Test(arguments: RecordedHost.flows)
    func `A replay of a tampered history differs at the changed entry`(flow: String) throws {
        var random = SeededGenerator.announced("tampering with \(flow)", seed: 12)
        for _ in 0..<30 {
            let host = RecordedHost()
            host.run("NEW", "room", flow)
            for _ in 0..<60 { try host.runRandomCommand(on: "room", &random) }
            var recorded = try host.record("room")
            let place = Int.random(in: 0..<recorded.lines.count, using: &random)
            let states = try #require(host.sessions["room"]).kind.states
            let line = recorded.lines[place]
            // A replay accepts any forced state that is recorded, so only events are tampered with.
            guard line.replayedAs == .event else { continue }
            if line.code == nil {
                recorded.lines[place].to = try #require(states.filter { $0 != line.to }.randomElement(using: &random))
            } else {
                guard line.carried != nil else { continue }
                recorded.lines[place].code = nil
            }
            let report = try #require(HistoryReplay.run(recorded))
            guard case .differs(at: place + 1, let what) = report.verdict else {
                Issue.record("\(report.verdict) and not at \(place + 1): \(line)")
                continue
            }
            #expect(what.hasPrefix("recorded '"))
            #expect(report.steps.count == place)
        }
    }

    @Test func `A replay of a history whose entries are two centuries apart agrees with the recording`() throws {
        let host = RecordedHost()
        for line in ["NEW room game", "SEND room displayHelp", "ADVANCE 36000d", "SEND room displayHelp", "ADVANCE 36000d"] {
            host.say(line)
        }
        let recorded = try host.record("room")
        #expect(recorded.lines.count == 5)
        #expect(HistoryReplay.run(recorded)?.verdict == .agrees)
    }

    @Test func `A replay that differs reports the recorded step and the flow's own step`() throws {
        let host = RecordedHost()
        for line in ["NEW room game", "SEND room startPlaying", "SEND room chooseEpisode 3", "SEND room chooseLevel 2"] {
            host.say(line)
        }
        var recorded = try host.record("room")
        recorded.lines[3].payload = "9"
        #expect(
            HistoryReplay.run(recorded)?.verdict
                == .differs(
                    at: 4,
                    "recorded 'playingLevel', the flow refused it with BADEVENT: 'chooseLevel' expects 'level', a whole number: 1 to 5"
                ))
        recorded.lines[3].payload = "2"
        recorded.lines[2].payload = "4"
        #expect(
            HistoryReplay.run(recorded)?.verdict
                == .endsElsewhere(
                    #"recorded 'playingLevel' with {"episode":3,"level":2,"play":{"seconds":0}}, the flow ends there with {"episode":4,"level":2,"play":{"seconds":0}}"#
                ))
        recorded.lines[2].timer = "choosingEpisode"
        recorded.lines[2].event = "timeIsUp"
        recorded.lines[2].source = .timer
        #expect(
            HistoryReplay.run(recorded)?.verdict == .differs(at: 3, "recorded 'choosingLevel', the flow went to 'introduction'")
        )
        recorded.lines[2].timer = "help"
        #expect(
            HistoryReplay.run(recorded)?.verdict
                == .differs(at: 3, "recorded that its timer 'help' fired, and 'choosingEpisode' carries none"))
        recorded.flow = "lamp"
        #expect(HistoryReplay.run(recorded) == nil)
    }

    @Test func `A replay detects a missing entry, and a state that no entry leads to`() throws {
        let host = RecordedHost()
        for line in ["NEW room game", "SEND room startPlaying", "SEND room chooseEpisode 3", "SEND room chooseLevel 2"] {
            host.say(line)
        }
        var recorded = try host.record("room")
        recorded.lines.remove(at: 2)
        #expect(
            HistoryReplay.run(recorded)?.verdict
                == .differs(at: 3, "recorded in 'choosingLevel', the flow is in 'choosingEpisode'"))
        recorded.lines.removeLast()
        #expect(
            HistoryReplay.run(recorded)?.verdict
                == .endsElsewhere("recorded 'playingLevel', the flow ends in 'choosingEpisode'"))
    }

    @Test func `A replay starts in the state in which the session was created`() throws {
        let host = RecordedHost()
        host.say(#"NEW room game {"state":"choosingLevel","episode":2}"#)
        host.say("SEND room chooseLevel 1")
        host.say("ADVANCE 3s")
        let report = try host.replay("room")
        #expect(report.verdict == .agrees)
        #expect(report.isComplete)
        #expect(report.beginning == "choosingLevel")
    }

    @Test func `A replay starts in the state in which the session was undropped or restarted`() throws {
        let host = RecordedHost()
        for line in ["NEW room game", "SEND room startPlaying", "SEND room chooseEpisode 3", "SEND room chooseLevel 2"] {
            host.say(line)
        }
        for line in ["ADVANCE 3500ms", "DROP room", "ADVANCE 1s", "UNDROP room", "ADVANCE 2s", "SEND room completeLevel 7"] {
            host.say(line)
        }
        let report = try host.replay("room")
        #expect(report.verdict == .agrees)
        #expect((report.isComplete, report.beginning) == (true, "playingLevel"))
        for line in ["RESTART room", "SEND room startPlaying", "ADVANCE 31s"] { host.say(line) }
        let again = try host.replay("room")
        #expect(again.verdict == .agrees)
        #expect((again.isComplete, again.beginning) == (true, "introduction"))
    }

    @Test func `A replay of a truncated history starts at its oldest entry, and is reported as incomplete`() throws {
        let host = RecordedHost(linesPerSession: 6)
        host.say("NEW room game")
        for line in ["SEND room startPlaying", "ADVANCE 30s"] + Array(repeating: "SEND room displayHelp", count: 1) {
            host.say(line)
        }
        for _ in 0..<3 {
            host.say("SEND room dismissHelp")
            host.say("SEND room displayHelp")
        }
        let recorded = try host.record("room")
        #expect(recorded.lines.count == 6)
        let report = try #require(HistoryReplay.run(recorded))
        #expect(report.verdict == .agrees)
        #expect(!report.isComplete)
        #expect(report.beginning == "help")
        #expect(report.skipped == 0)
    }

    @Test func `A replay of a truncated history reports no difference that the discarded entries may explain`() throws {
        let counter = """
            { id: "counter", context: { n: 0 }, initial: "low", states: {
              low: { on: { add: { actions: { assign: { n: "n + 1" } } }, go: { guard: "n > 2", target: "high" } } },
              high: { on: { go: "low" } } } }
            """
        var limits = Limits()
        limits.sessionHistory = 3
        let host = Host(
            on: Timekeeper(VirtualClock()), flows: [try FlowKind.chart(text: counter)], commands: .all, limits: limits)
        let client = LocalClient(of: host, from: .network)
        func say(_ line: String) -> Reply { client.run(line.split(separator: " ").map(String.init)).last ?? .null }
        for line in ["NEW room counter"] + Array(repeating: "SEND room add", count: 4) + ["SEND room go"] { _ = say(line) }
        let recorded = try #require(RecordedSession(state: say("STATE room"), history: say("HISTORY room COUNT 100")))
        #expect(recorded.lines.map(\.event) == ["add", "add", "go"] && recorded.state == "high")
        nonisolated(unsafe) let flows = [try FlowKind.chart(text: counter)]
        let report = try #require(HistoryReplay.run(recorded, RehearsedFlows({ flows }, withBuiltIn: false)))
        guard case .cannotGoOn(at: 3, let why) = report.verdict else { return #expect(Bool(false), "\(report.verdict)") }
        #expect(why.hasPrefix("entries that are no longer kept may be the reason for a difference: recorded 'high', the flow "))
        #expect(!report.isComplete && report.steps.count == 2)
    }

    @Test func `A replay of a truncated history reports a difference if the state has no data that entries could have changed`()
        throws
    {
        let host = RecordedHost(linesPerSession: 3)
        host.say("NEW room turns")
        for _ in 0..<5 { host.say("SEND room pass") }
        var recorded = try host.record("room")
        #expect(recorded.lines.count == 3 && !recorded.hasGaps)
        #expect(HistoryReplay.run(recorded)?.verdict == .agrees)
        recorded.lines[1].to = recorded.lines[1].from
        guard case .differs(at: 2, _)? = HistoryReplay.run(recorded)?.verdict else {
            return #expect(Bool(false), "\(String(describing: HistoryReplay.run(recorded)))")
        }
    }

    @Test func `A replay of a truncated history is not exact after a forced state that keeps parts of the state before it`()
        throws
    {
        let host = RecordedHost(linesPerSession: 3)
        for line in ["NEW room game", "SEND room startPlaying", "SEND room returnHome", "SEND room displayHelp"] {
            host.say(line)
        }
        for line in ["FORCE room introduction", "SEND room displayHelp"] { host.say(line) }
        var recorded = try host.record("room")
        #expect(HistoryReplay.run(recorded)?.verdict == .agrees)
        let last = recorded.lines.count
        recorded.lines[last - 1].to = "introduction"
        guard case .cannotGoOn(at: last, _)? = HistoryReplay.run(recorded)?.verdict else {
            return #expect(Bool(false), "\(String(describing: HistoryReplay.run(recorded)))")
        }
    }

    @Test func `A replay of a history that lacks repetitions of a discarded entry is not exact`() throws {
        let host = RecordedHost(linesPerSession: 3)
        host.say("NEW room turns")
        for _ in 0..<5 { host.say("SEND room pass") }
        var recorded = try host.record("room")
        recorded.lines.remove(at: 1)
        #expect(recorded.hasGaps)
        guard case .cannotGoOn(at: 2, _)? = HistoryReplay.run(recorded)?.verdict else {
            return #expect(Bool(false), "\(String(describing: HistoryReplay.run(recorded)))")
        }
    }

    @Test func `A replay skips entries that need discarded data, and fails if there are no others`() throws {
        func play(_ linesPerSession: Int) throws -> RecordedHost {
            let host = RecordedHost(linesPerSession: linesPerSession)
            for line in ["NEW room game", "SEND room startPlaying", "SEND room chooseEpisode 1", "SEND room chooseLevel 1"] {
                host.say(line)
            }
            host.say("ADVANCE 3s")
            return host
        }
        let stuck = try play(2).replay("room")
        guard case .cannotGoOn(at: 1, let why) = stuck.verdict else { return #expect(Bool(false), "\(stuck.verdict)") }
        #expect(why.contains("episode"))
        let host = try play(4)
        for line in ["SEND room completeLevel 5", "FORCE room introduction", "SEND room displayHelp"] { host.say(line) }
        let report = try host.replay("room")
        #expect(report.verdict == .agrees)
        #expect(report.skipped == 2)
    }

    @Test func `A replay stops at an accepted event whose payload was too long to keep`() throws {
        let host = RecordedHost()
        let long = String(repeating: "x", count: 2_000)
        host.standIns.apply(.init(question: .login, answer: .silence))
        for line in ["NEW app startup", "SEND app didLaunch \(long)", "FORCE app needsLogin"] { host.say(line) }
        #expect(try host.replay("app").verdict == .agrees)
        #expect(try host.replay("app").steps[1].unchecked == "its payload is not kept unchanged")
        host.say("FORCE app authenticating")
        host.say("CLIENT SOURCE orchestrator")
        host.say("SEND app loginFailed \(long)")
        host.say("CLIENT SOURCE network")
        host.say("SEND app retry")
        #expect(
            try host.replay("app").verdict == .cannotGoOn(at: 5, "its payload was too long to be kept"))
    }

    private static let shop = """
        { id: "shop", initial: "closed", events: { order: {}, ring: {}, rise: {}, over: {} }, states: {
          closed: { postpone: ["order", "ring", "rise"], on: { over: "dead" } },
          dead: { on: { rise: "closed" } } } }
        """

    @Test(
        arguments: [
            ["order", "order", "order", "over"], ["order", "ring", "ring", "order", "order", "over"],
            ["order", "order", "order", "rise", "over"], ["order", "order", "ring", "order", "rise", "over"],
            ["order", "order", "order", "over", "order", "ring", "order"],
        ])
    func `A replay agrees with postponed events that are refused together`(events: [String]) throws {
        let kind = try FlowKind.chart(text: Self.shop)
        let client = LocalClient(
            of: Host(on: Timekeeper(VirtualClock()), flows: [kind], commands: .all, limits: Limits()), from: .network)
        func say(_ line: String) -> Reply { client.run(line.split(separator: " ").map(String.init)).last ?? .null }
        for line in ["NEW room shop"] + events.map({ "SEND room \($0)" }) {
            _ = say(line)
            _ = say("ADVANCE 1s")
        }
        let recorded = try #require(RecordedSession(state: say("STATE room"), history: say("HISTORY room COUNT 100")))
        #expect(recorded.lines.contains { $0.repeats?.times ?? 1 > 2 }, "\(recorded)")
        nonisolated(unsafe) let flows = [try FlowKind.chart(text: Self.shop)]
        let report = try #require(HistoryReplay.run(recorded, RehearsedFlows({ flows }, withBuiltIn: false)))
        #expect(report.verdict == .agrees && report.isComplete && report.steps.count == recorded.lines.count, "\(report)")
    }

    @Test func `A replay of a new session's history agrees with the recording`() throws {
        let host = RecordedHost()
        host.say("NEW room turns")
        #expect(try host.replay("room").verdict == .agrees)
    }
}
