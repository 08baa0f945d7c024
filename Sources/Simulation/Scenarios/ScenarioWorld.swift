// The world of a scenario: a separate host in virtual time, without sockets, files or other clients.

import Commands
import Devices
import GameFlow
import RESP
import Sessions
import Texts

final class ScenarioWorld {
    private let host: Host
    private let devices: BluetoothSource
    private let client: LocalClient
    let standIns = StandIns()
    private let emissions = EmissionDiary()
    private let work = BoundedWork()
    /// The folder of the scenario's file; its paths are relative to it.
    private let folder: String

    init(besides path: String, flows: RehearsedFlows) {
        folder = Self.folder(of: path)
        host = Host(on: Timekeeper(VirtualClock()), flows: flows.make(on: work.executor, standIns), commands: .all)
        devices = BluetoothSource(of: host)
        host.devices = devices
        host.sessions.add(emissions)
        // On the wire, too, an event that a client sends comes from the network.
        client = LocalClient(of: host, from: .network)
        host.timeObserver = work
    }

    deinit {
        // Pending work is cancelled with its session, and ends here. Children go with their parents.
        for name in host.sessions.all.map(\.name) { _ = host.sessions.find(name).map { host.sessions.drop($0) } }
        work.run()
    }

    /// With its slash; empty for the current one.
    static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }

    /// A relative path counts from the folder.
    static func place(of path: String, in folder: String) -> String { path.hasPrefix("/") ? path : folder + path }

    var now: Duration { Instant.zero.duration(to: host.timekeeper.now) }

    func machine(of session: String) -> AnyMachine? { host.sessions[session] }

    /// Runs a command and everything that it causes.
    func run(_ words: [String]) -> Reply {
        emissions.clear()
        var replies = client.run(words)
        runUntilIdle()
        // A hook's decision comes while work runs.
        replies += client.takeReplies()
        if work.isEndless { return .error(code: .generic, text: BoundedWork.complaint) }
        // An event that has waited since an earlier step may be refused now.
        let answer = replies.first { $0.firstError != nil } ?? replies.last { if case .push = $0 { false } else { true } }
        return answer ?? replies.last ?? .null
    }

    /// The emissions of the session during the last command.
    func emissions(of session: String) -> [Emission] { emissions.emissions(of: session) }

    /// Adds simulated devices from a file. Returns nil, or the mismatch if the file cannot be loaded.
    func addDevices(path: String) -> Mismatch? {
        do throws(BluetoothFileError) {
            try devices.load(Self.place(of: path, in: folder))
        } catch {
            return Mismatch(expected: "devices", got: "\(ErrorCode.badDevices) \(error.inOneLine)")
        }
        runUntilIdle()
        return nil
    }

    /// Runs hooks and work until nothing is left to do now.
    private func runUntilIdle() {
        while work.run() > 0 || host.timekeeper.hasDue { host.fireDueTimers() }
    }
}

// MARK: - The hooks and work of a scenario's flows

/// Runs hooks and work on demand. Work that never waits is given up.
final class BoundedWork {
    /// More jobs than any work has in one instant.
    private static let maxJobs = 200_000

    static let complaint =
        "the flow's work never rests: it must wait for something, and end once Task.isCancelled"

    let executor = ManualExecutor()
    private(set) var isEndless = false

    /// Runs what can be run in this instant, and returns the number of jobs.
    @discardableResult
    func run() -> Int {
        if isEndless { return 0 }
        let count = executor.run(atMost: Self.maxJobs)
        isEndless = count == Self.maxJobs
        return count
    }
}

extension BoundedWork: VirtualTimeObserver {
    func virtualTimeDidStop() { _ = run() }
}

// MARK: - Emissions since the last command

/// Listens to a scenario's sessions, as a subscriber would.
final class EmissionDiary: SessionObserver {
    /// By session and event.
    private var emissions: [String: [String: LatestEmissions]] = [:]
    private var count = 0

    /// Forgets the emissions, before a command.
    func clear() {
        if !emissions.isEmpty { (emissions, count) = ([:], 0) }
    }

    override func session(_ session: Session, didEmit emission: Emission) { record(emission, of: session.name) }

    func record(_ emission: Emission, of session: String) {
        count += 1
        emissions[session, default: [:]][emission.event, default: LatestEmissions()].record(emission, count)
    }

    /// In the order in which they were emitted last.
    func emissions(of session: String) -> [Emission] {
        (emissions[session] ?? [:]).values.flatMap(\.all).sorted { $0.number < $1.number }.map(\.emission)
    }
}

/// The emissions of one event by one session, each with other data. A pendulum emits very often in a simulated year.
private struct LatestEmissions {
    /// The older ones are forgotten.
    private static let maxCount = 1_000

    /// By their data.
    private var byData: [String: (number: Int, emission: Emission)] = [:]

    mutating func record(_ emission: Emission, _ number: Int) {
        byData[emission.data?.description ?? ""] = (number, emission)
        // Forgetting takes as long as there are many, so it waits until half of them can go.
        if byData.count == 2 * Self.maxCount { byData = Dictionary(uniqueKeysWithValues: latest) }
    }

    var all: [(number: Int, emission: Emission)] { latest.map(\.value) }

    private var latest: [(key: String, value: (number: Int, emission: Emission))] {
        guard byData.count > Self.maxCount else { return Array(byData) }
        let numbers = byData.values.map(\.number).sorted()
        return byData.filter { $0.value.number >= numbers[numbers.count - Self.maxCount] }
    }
}

/// An emission that a scenario expects.
struct ExpectedEmission: Sendable {
    let event: String
    /// As it was written; nil if anything will do.
    let data: DataExpectation?
    /// How many others a mismatch lists.
    private static let maxListed = 10

    /// Nil if one of these is it.
    func mismatch(with emissions: [Emission]) -> Mismatch? {
        let isMet = emissions.contains { $0.event == event && data?.isMet(by: Self.object($0)) ?? true }
        if isMet { return nil }
        let names = emissions.suffix(Self.maxListed).map { $0.event + ($0.data.map { " \($0)" } ?? "") }
        let earlier = emissions.count - names.count
        let list = (earlier > 0 ? ["other".counted(earlier)] : []) + names
        return Mismatch(
            expected: event + (data.map { " \($0.text)" } ?? ""), got: list.isEmpty ? "nothing" : list.joined(separator: ", "))
    }

    /// Data have paths, and an emission may be a single value.
    static let path = "data"

    private static func object(_ emission: Emission) -> JSON { .object([.init(path, emission.data ?? .null)]) }
}
