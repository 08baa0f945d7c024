// The names for the numbers in the flight record.

import BuiltInFlows
import GameFlow
import Testing
@testable import Commands
@testable import Journal
@testable import Simulation
@testable import Sessions

@Suite struct `The names in the flight record` {
    private static var flows: [FlowKind] { FlowKind.builtIn(work: StandIns().work) }

    @Test func `Each command has a unique number`() {
        let numbers = CommandTable.all.commands.map(\.number)
        #expect(Set(numbers).count == numbers.count)
        #expect(!numbers.contains(FlightMark.none))
    }

    @Test func `The names of events, timers and commands are read back from the flight record's bytes`() throws {
        let names = try #require(FlightNames(bytes: FlightNames(Self.flows, CommandTable.all.flightNames).bytes[...]))
        for kind in Self.flows {
            for (number, event) in kind.eventNames.enumerated() {
                #expect(names.event(UInt16(number), ofFlow: kind.name) == event)
            }
            for (number, timer) in kind.timers.enumerated() {
                let found = names.timer(UInt16(number), ofFlow: kind.name)
                #expect(found?.name == timer.name && found?.event == timer.messageName)
            }
        }
        for command in CommandTable.all.commands {
            #expect(names.command(command.number)?.name == command.name)
            #expect(names.command(command.number)?.changes == command.flags.contains(.changes))
        }
        #expect(names.event(999, ofFlow: "game") == nil && names.event(0, ofFlow: "none") == nil)
        #expect(FlightNames(bytes: [UInt8]("{}".utf8)[...]) == nil)
    }

    @Test(arguments: [
        (FlightMark(.event, 0, of: 1), "'a' handled 'displayHelp'"), (FlightMark(.event, 900, of: 1), "'a' handled an event"),
        (FlightMark(.timer, 900, of: 1), "'a' handled a timer"), (FlightMark(.work, of: 1), "the work of 'a' was done"),
        (FlightMark(.read, of: 1), "'a' was read"), (FlightMark(.force, of: 1), "'a' was forced into another state"),
        (FlightMark(.command, Command.state.number, of: 1), "STATE read 'a'"),
        (FlightMark(.command, Command.pause.number, of: 1), "PAUSE was executed on 'a'"),
        (FlightMark(.command, FlightMark.none, of: 1), "a command was executed on 'a'"),
        (FlightMark(.restoring, of: 1), "'a' was being restored"),
    ])
    func `A flight mark gives a readable problem, even with an unknown number`(mark: FlightMark, deed: String) {
        let names = FlightNames(Self.flows, CommandTable.all.flightNames)
        #expect(FlightRecord.problem(mark, names, session: "a", flow: "game") == "the daemon died while \(deed)")
    }
}
