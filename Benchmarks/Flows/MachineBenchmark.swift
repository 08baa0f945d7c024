// The cost of an event in the machine, and the memory of a session, without a daemon around it.

import BuiltInFlows
import CLinux
import Foundation
import GameDaemon
import GameFlow
import Glibc
import Network
import Posix
import Timers

func benchmarkMachines(_ report: Report) throws {
    report.section("Machines: one event, and one session")
    try benchmarkEvents(report)
    if ProcessInfo.processInfo.environment["QUICK"] == nil { try benchmarkMillion(report) }
}

/// Few of them, for two lengths, are what callgrind counts instructions of.
private let operations = ProcessInfo.processInfo.environment["OPERATIONS"].flatMap { Int($0) } ?? 1_000_000

private func benchmarkEvents(_ report: Report) throws {
    let keeper = Timekeeper(VirtualClock())
    let game = try Machine<Game>(on: keeper, startingIn: "choosingEpisode")
    let turns = try Machine<Turns>(on: keeper)
    let accepted = try medianOfFive {
        for _ in 0..<operations / 2 {
            try game.send(.chooseEpisode(2))
            try game.send(.timeIsUp, from: .timer)
        }
    }
    let passed = try medianOfFive { for _ in 0..<operations { try turns.send(.pass) } }
    let refused = medianOfFive { precondition(countRefusals(game) == operations) }
    let kind = TypedFlowKind<Turns>()
    let begun = try medianOfFive { for _ in 0..<operations { _ = try Machine(on: keeper, kind: kind) } }
    report.add(
        "game: a countdown dropped, another armed", unit: "ns", ["gamed": accepted],
        target: .init(text: "at most 100 ns", reached: accepted <= 100))
    report.add("turns: the same", unit: "ns", ["gamed": passed])
    report.add(
        "game: an event refused", unit: "ns", ["gamed": refused],
        target: .init(text: "at most 60 ns", reached: refused <= 60))
    report.add("turns: a session begun and ended", unit: "ns", ["gamed": begun])
}

private func countRefusals(_ game: Machine<Game>) -> Int {
    var refusals = 0
    for _ in 0..<operations {
        do throws(Refusal) { _ = try game.send(.displayHelp) } catch { refusals += 1 }
    }
    return refusals
}

private func medianOfFive(_ body: () throws -> Void) rethrows -> Double {
    try (0..<5).map { _ in try nanoseconds(per: operations, body) }.median
}

private func benchmarkMillion(_ report: Report) throws {
    let small = try costPerEvent(sessions: 1_000)
    let large = try costPerEvent(sessions: 1_000_000)
    report.add(
        "a session with one armed countdown", unit: "bytes", ["gamed": large.bytes],
        target: .init(text: "at most 200 bytes", reached: large.bytes <= 200))
    report.add("an event among 1000 sessions", unit: "ns", ["gamed": small.event])
    report.add("an event among 1000000 sessions", unit: "ns", ["gamed": large.event, "among 1000": small.event])
}

private func costPerEvent(sessions: Int) throws -> (event: Double, bytes: Double) {
    let keeper = Timekeeper(VirtualClock())
    let setup = TypedFlowKind<Game>()
    var machines: [Machine<Game>] = []
    machines.reserveCapacity(sessions)
    let before = allocatedBytes()
    for _ in 0..<sessions {
        machines.append(try Machine(on: keeper, kind: setup, startingIn: "choosingEpisode"))
    }
    let bytes = Double(allocatedBytes() - before) / Double(sessions)
    var random = QuickRandom(seed: 7)
    let operations = max(sessions, 200_000)
    let picks = (0..<operations).map { _ in random.next(below: sessions) }
    let event = try nanoseconds(per: operations) {
        for pick in picks {
            let machine = machines[pick]
            if case .choosingEpisode = machine.state {
                try machine.send(.chooseEpisode(1))
            } else {
                try machine.send(.timeIsUp, from: .timer)
            }
        }
    }
    return (event, bytes)
}

/// Bytes that malloc has allocated and not freed, its own overhead included. Resident memory is unsuitable: memory freed by an earlier measurement is
/// used again.
func allocatedBytes() -> Int {
    let info = mallinfo2()
    return Int(info.uordblks + info.hblkhd)
}
