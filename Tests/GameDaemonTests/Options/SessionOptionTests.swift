// --session NAME=FLOW[:STATE], with JSON as for NEW behind it.

import BuiltInFlows
import GameFlow
import Posix
import Testing
import Timers
@testable import EventLoop
@testable import GameDaemon
@testable import Sessions

@Suite struct `The option --session` {
    private func sessions(_ value: String) throws -> [Options.SessionToBegin] {
        var options = Options()
        try options.addSession(value)
        return options.sessions
    }

    @Test func `The option --session has a name, a flow, a state, and JSON as for NEW`() throws {
        #expect(try sessions("main=game").first?.beginning == nil)
        #expect(try sessions("main=game:help").first?.beginning == .object([.init("state", "help")]))
        let third = try #require(try sessions(#"main=game:choosingLevel {"data":{"episode":2}}"#).first)
        #expect(third.name == "main" && third.flow == "game")
        #expect(third.beginning == (try JSON(parsing: #"{"state":"choosingLevel","data":{"episode":2}}"#)))
        let fourth = try #require(try sessions(#"a=oven {"context":{"minutes":3},"state":"x=y"}"#).first)
        #expect(fourth.flow == "oven" && fourth.beginning?["state"] == "x=y")
    }

    @Test(arguments: [
        "main", "main=", "main=:help", "main=game:", "main=game:help {", "main=game []", #"main=game:a {"state":"b"}"#,
    ])
    func `The option --session without a valid flow, state or JSON object is refused`(value: String) {
        #expect(throws: UsageError.self) { try sessions(value) }
    }

    @Test func `A session is created in the named state, and an unknown state is refused with the reason`() throws {
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [.flow(Game.self)])
        try daemon.begin("room", flow: "game", .object([.init("state", "choosingLevel"), .init("episode", 3)]))
        #expect(daemon.sessions["room"]?.stateName == "choosingLevel")
        let error = #expect(throws: UsageError.self) {
            try daemon.begin("other", flow: "game", .object([.init("state", "cellar")]))
        }
        #expect(String(describing: error).contains("cellar") && daemon.sessions["other"] == nil)
    }
}
