// The cost of a flow from a file, compared with the same flow in Swift: an event, a session, and reading the file.

import Statecharts
import Foundation
import GameFlow
import Simulation
import Timers

func benchmarkCharts(_ report: Report) throws {
    report.section("Flow files: beside the same flow in Swift")
    try benchmarkEvents(report)
    try benchmarkSessions(report)
    try benchmarkLoading(report)
}

private let operations = ProcessInfo.processInfo.environment["OPERATIONS"].flatMap { Int($0) } ?? 500_000

/// Those that are compared, with a session each.
private struct Rivals {
    let keeper = Timekeeper(VirtualClock())
    let kinds: [FlowKind]

    init() throws { kinds = [.flow(Pair.self), try FlatFile.kind(FlatFile.plain), try FlatFile.kind(FlatFile.guarded)] }
}

private func benchmarkEvents(_ report: Report) throws {
    let rivals = try Rivals()
    let machines = try rivals.kinds.map { try $0.begin(on: rivals.keeper) }
    var times: [[Double]] = machines.map { _ in [] }
    for _ in 0..<9 {
        for (index, machine) in machines.enumerated() {
            times[index].append(
                try nanoseconds(per: operations) {
                    for _ in 0..<operations { _ = try machine.send(at: 0, from: .network) }
                })
        }
    }
    let rates = times.map { 1e9 / $0.median }
    report.add("an event", unit: "1/s", ["file": rates[1], "Swift": rates[0]], target: .atLeast(0.6, rates[1], of: rates[0]))
    report.add(
        "an event, with a guard and an assignment", unit: "1/s", ["file": rates[2], "Swift": rates[0]],
        target: .atLeast(0.5, rates[2], of: rates[0]))
}

extension Row.Target {
    fileprivate static func atLeast(_ part: Double, _ ours: Double, of theirs: Double) -> Row.Target {
        Row.Target(text: "at least \(part) of the one in Swift: \(short(ours / theirs))", reached: ours >= part * theirs)
    }
}

private func benchmarkSessions(_ report: Report) throws {
    let bytes = try Rivals().kinds.map(bytesPerSession)
    report.add(
        "a session with one armed countdown", unit: "bytes", ["file": bytes[1], "Swift": bytes[0]],
        target: .init(text: "at most 1.3 times the one in Swift", reached: bytes[1] <= 1.3 * bytes[0]))
    report.add(
        "a session with two variables besides", unit: "bytes", ["file": bytes[2]],
        target: .init(text: "at most 500 bytes", reached: bytes[2] <= 500))
}

private func bytesPerSession(_ kind: FlowKind) throws -> Double {
    let (keeper, sessions) = (Timekeeper(VirtualClock()), 300_000)
    var machines: [AnyMachine] = []
    machines.reserveCapacity(sessions)
    let before = allocatedBytes()
    for _ in 0..<sessions {
        let machine = try kind.begin(on: keeper)
        // A variable that was changed may take more than one that is as the file has it.
        _ = try machine.send(at: 0, from: .network)
        machines.append(machine)
    }
    return Double(allocatedBytes() - before) / Double(sessions)
}

private func benchmarkLoading(_ report: Report) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "gamed-bench-\(getpid()).json5").path
    try FlatFile.ring(of: 1_000).write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let milliseconds = try (0..<5).map { _ in
        try nanoseconds(per: 1_000_000) {
            let file = FlowFile(path: path)
            guard let definition = file.definition else { throw BenchmarkError(file.report.joined(separator: "\n")) }
            _ = try FlowKind.chart(definition)
        }
    }.median
    report.add(
        "a file of 1000 states: read, checked, made", unit: "ms", ["file": milliseconds],
        target: .init(text: "at most 100 ms", reached: milliseconds <= 100))
}
