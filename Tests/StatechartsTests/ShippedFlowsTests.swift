// The flows of Examples/Flows have no problems, and five of them behave like the built-in ones. Their scenarios are run by
// `make scenarios`.

import BuiltInFlows
import Foundation
import GameFlow
import TestSupport
import Testing

@testable import Statecharts

@Suite(.withoutBacktraces) struct `Shipped flows` {
    private static let folder = packageRoot.appending(path: "Examples/Flows").path

    static let names = [
        "quiz", "lobby", "escape-room", "kiosk", "chess-clock", "traffic-light", "pomodoro", "SameAsBuiltIn/game",
        "SameAsBuiltIn/registration", "SameAsBuiltIn/permissions", "SameAsBuiltIn/startup", "SameAsBuiltIn/onboarding",
    ]

    private static func file(_ name: String) throws -> FlowFile {
        let path = "\(folder)/\(name).json5"
        return FlowFile(bytes: try Array(String(contentsOfFile: path, encoding: .utf8).utf8), path: path)
    }

    @Test(arguments: names)
    func `A shipped flow file has no errors and no warnings`(_ name: String) throws {
        let file = try Self.file(name)
        #expect(file.problems.map { $0.description(in: name) } == [])
        let kind = try FlowKind.chart(#require(file.definition))
        #expect(kind.events.allSatisfy { !$0.name.isEmpty })
    }

    @Test(arguments: ["game", "startup", "registration", "onboarding", "permissions"])
    func `A built-in flow that is rewritten as a flow file behaves the same`(_ name: String) throws {
        let flows: [FlowKind] = [
            .flow(Game.self), .flow(Startup.self), .flow(Registration.self), .flow(Onboarding.self),
            .flow(Permissions.self),
        ]
        let builtIn = try #require(flows.first { $0.name == name })
        let kind = try FlowKind.chart(#require(try Self.file("SameAsBuiltIn/\(name)").definition))
        let comparison = try FlowComparison(builtIn, with: kind)
        #expect(comparison.isSame, "\(comparison)")
        #expect(comparison.states == Set(builtIn.states))
    }
}
