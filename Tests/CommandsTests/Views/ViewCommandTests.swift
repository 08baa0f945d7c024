// VIEW: everything that a user interface needs of a session, as one JSON object.

import GameFlow
import Posix
import RESP
import Testing
import Timers

@Suite struct `A view` {
    private func view(_ conversation: Conversation) throws -> JSON {
        try JSON(parsing: #require(try conversation.ask("VIEW room").text))
    }

    /// A session of the flow `game` that is choosing a level, twelve seconds in.
    private func choosing() throws -> Conversation {
        let conversation = Conversation()
        for line in ["NEW room game", "SEND room startPlaying", "SEND room chooseEpisode 2", "ADVANCE 12s"] {
            #expect(try !conversation.ask(line).isError)
        }
        return conversation
    }

    @Test func `A view has the members that a user interface shows, in a fixed order`() throws {
        let view = try view(choosing())
        guard case .object(let members) = view else { return #expect(Bool(false), "no object: \(view)") }
        #expect(
            members.map(\.name) == [
                "session", "flow", "state", "life", "version", "data", "title", "text", "progress", "paused", "final",
                "actions", "timers", "postponed", "at_ms",
            ])
        #expect(view["session"] == "room" && view["flow"] == "game" && view["state"] == "choosingLevel")
        #expect(view["version"] == 2 && view["title"] == "Episode 2" && view["text"] == "Choose one of five levels.")
        #expect(view["progress"] == .number(0.25) && view["paused"] == false && view["final"] == false)
        #expect(view["life"]?.integer ?? 0 > 0)
        #expect(view["data"]?["episode"] == 2)
        #expect(view["data"]?["choosingLevel"]?["remaining_ms"] == 18_000)
        #expect(view["data"]?["choosingLevel"]?["remaining_ns"] == nil)
    }

    @Test func `A view has the wall-clock time at which it was made`() throws {
        let conversation = try choosing()
        let before = Int(TurnClock.now().wallNanoseconds / 1_000_000)
        let at = try #require(try view(conversation)["at_ms"]?.integer)
        #expect((before...before + 60_000).contains(at))
    }

    @Test func `A view has each timer's remaining time, and whether the timer is paused`() throws {
        let conversation = try choosing()
        func timer() throws -> JSON { try #require(try self.view(conversation)["timers"]?.first) }
        let running = try timer()
        #expect(
            running["name"] == "choosingLevel" && running["label"] == "Time to choose" && running["kind"] == "countdown"
                && running["event"] == "timeIsUp")
        #expect(running["remaining_ms"] == 18_000 && running["length_ms"] == 30_000 && running["period_ms"] == .null)
        #expect(running["paused"] == false)

        _ = try conversation.ask("EXTEND room choosingLevel 30s")
        let extended = try timer()
        #expect(extended["remaining_ms"] == 48_000 && extended["length_ms"] == 30_000)
        #expect(extended["generation"]?.integer ?? 0 > running["generation"]?.integer ?? 0)

        _ = try conversation.ask("PAUSE room")
        _ = try conversation.ask("ADVANCE 1h")
        #expect(try timer()["remaining_ms"] == 48_000 && timer()["paused"] == true)
        #expect(try view(conversation)["paused"] == true)
    }

    @Test func `A view has a pendulum's period, and not the timers of a state that was left`() throws {
        let conversation = try choosing()
        _ = try conversation.ask("SEND room chooseLevel 1")
        _ = try conversation.ask("ADVANCE 1500us")
        let timers = try #require(try view(conversation)["timers"]).elements
        #expect(timers.map { $0["name"] } == ["timeLimit", "tick"])
        #expect(timers.map { $0["period_ms"] } == [.null, 1_000])
        #expect(timers.map { $0["remaining_ms"] } == [119_999, 999], "rounded up")
        _ = try conversation.ask("FORCE room introduction")
        #expect(try view(conversation)["timers"] == [])
    }

    @Test func `An event that the source ui may not send has its sources in a view`() throws {
        let host = try HostUnderTest(
            """
            { id: "door", events: { knock: {}, opened: { from: ["network", "bluetooth"] }, unlock: { from: ["orchestrator"] } },
              initial: "shut", states: { shut: { on: { knock: {}, opened: "open", unlock: "open" } }, open: {} } }
            """)
        host.run("NEW front door")
        let actions = try #require(try JSON(parsing: host.run("VIEW front").text ?? "")["actions"]).elements
        #expect(actions.map { $0["event"] } == ["knock", "opened", "unlock"])
        #expect(actions.map { $0["sources"] } == [nil, ["network", "bluetooth"], ["orchestrator"]])
    }

    /// Neither those that only the flow raises, nor those that tell it what became of child sessions and messages.
    @Test func `A view lists no event that reaches a flow by itself`() throws {
        let host = try HostUnderTest(
            """
            { id: "hall", events: { round: {}, inner: { from: [] } }, initial: "playing", states: {
                playing: { invoke: { flow: "turns", id: "match" }, entry: { send: { session: "gone", event: "pass" } },
                    on: { round: {}, inner: {}, "done.invoke.match": "over", "error.invoke.match": "over", "error.communication": {} } },
                over: {} } }
            """)
        #expect(host.run("NEW hall hall").text == "playing")
        let accepted = host.run("EVENTS hall").list.compactMap(\.text)
        #expect(accepted.contains("done.invoke.match") && accepted.contains("error.communication"), "\(accepted)")
        let actions = try #require(try JSON(parsing: host.run("VIEW hall").text ?? "")["actions"]).elements
        #expect(actions.map { $0["event"] } == ["round"])
    }

    /// Events that only a timer or the work of a state sends are not listed.
    @Test func `A view lists the events that a client may send now, and no others`() throws {
        let conversation = try choosing()
        func events() throws -> [JSON?] { try #require(try self.view(conversation)["actions"]).elements.map { $0["event"] } }
        #expect(try events() == ["chooseLevel", "returnHome"])
        let action = try #require(try view(conversation)["actions"]?.first)
        #expect(action["label"] == "Choose level" && action["payload"]?["name"] == "level")
        #expect(action["payload"]?["type"] == "integer")
        _ = try conversation.ask("FORCE room introduction")
        #expect(try events() == ["displayHelp", "startPlaying"])
        #expect(try view(conversation)["actions"]?.first?["payload"] == .null)
    }

    @Test func `A view is valid JSON for any name of a session`() throws {
        let conversation = Conversation()
        let name = Array(#"a"room"\né"#.utf8)
        #expect(try conversation.ask(Array("NEW".utf8), name, Array("onboarding".utf8)).text == "accountLoader")
        let text = try #require(try conversation.ask(Array("VIEW".utf8), name).text)
        #expect(try JSON(parsing: text)["session"] == .string(String(decoding: name, as: UTF8.self)))
    }

    @Test func `VIEW of a session that does not exist is refused`() throws {
        try transcript(
            """
            > VIEW room
            < -NOSESSION there is no session 'room'; NEW room FLOW creates one
            > VIEW
            < -ERR wrong number of arguments for 'VIEW'; usage: VIEW session
            """, with: Conversation())
    }
}

extension JSON {
    var elements: [JSON] { if case .array(let values) = self { values } else { [] } }
    fileprivate var first: JSON? { elements.first }
}
