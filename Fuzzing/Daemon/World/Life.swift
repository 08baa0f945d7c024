// One run of the daemon over a store: from the start of the process to its end, in virtual time, turned by hand.

import Statecharts
import GameFlow
import MemoryStore
import RESP
import Slowness
import Store
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Simulation
@testable import Sessions

final class Life {
    let store: MemoryStore
    let daemon: Daemon
    /// Sends the requests for checks.
    let inspector: LocalClient
    private let loop: Loop
    /// Runs the work of the built-in flows on demand.
    private let executor = ManualExecutor()
    let persistence: Persistence

    init(_ store: MemoryStore, _ standIns: StandIns, _ size: ChartSize) throws {
        self.store = store
        loop = try Loop(Timekeeper(VirtualClock()))
        var limits = Limits()
        (limits.historyLines, limits.sessionHistory, limits.advanceFirings) = (Self.historyLines, 20, Self.maxFirings)
        daemon = try Daemon(
            on: loop,
            flows: FlowKind.builtIn(executor: executor, work: standIns.work)
                + HostedCharts.definitions(size).map { try FlowKind.chart($0, file: "fuzz.json5") },
            limits: limits,
            access: Access(tokens: TokenTable([try TokenLine(secret: World.token, from: "of the fuzzer")])))
        daemon.sessions.expire(by: Self.rules(daemon.sessions.flows))
        persistence = try daemon.persist(in: store)
        inspector = LocalClient(of: daemon.host, from: .network)
        daemon.host.timeObserver = executor
    }

    /// All sessions expire except those of `turns`, since its model does not know expiry.
    private static func rules(_ flows: [FlowKind]) -> [ExpiryRule] {
        flows.filter { $0.name != "turns" }.enumerated().map { place, flow in
            ExpiryRule(flow: flow.name, length: .seconds(30 + 20 * place), action: place % 2 == 0 ? .restart : .drop)
        }
    }

    static let historyLines = 4_096
    /// A century of ticks must not keep the fuzzer waiting.
    static let maxFirings = 300

    /// Work that still waits for something ends with its session.
    deinit {
        for session in daemon.sessions.all { _ = daemon.sessions.drop(session) }
        executor.run()
    }

    /// Recovers, as the process does first. Throws the error that its operator would see.
    func recover() throws {
        var outcome: Result<Void, StoreError>?
        daemon.recover { outcome = $0 }
        while outcome == nil { try loop.turn() }
        try outcome?.get()
        try daemon.bluetooth.load(Devices.path)
        daemon.bluetooth.start()
    }

    // MARK: Turns

    /// Runs a turn with `body` as its input.
    func turn(_ body: () throws(Fault) -> Void) throws {
        var fault: Fault?
        // Requests are measured one by one.
        var inBody = 0
        let began = ThreadTime.now
        try withoutActuallyEscaping(body) { body in
            loop.schedule {
                let began = ThreadTime.now
                do throws(Fault) { try body() } catch { fault = error }
                inBody = ThreadTime.now - began
            }
            try loop.turn()
        }
        if let fault { throw fault }
        try Budget.check(ThreadTime.now - began - inBody, "a turn without its requests")
    }

    /// Runs all started work to its end, in as many turns as needed: the store has all possible writes, and no work is left.
    func runUntilIdle(afterEach: () -> Void) throws {
        var ran = 0
        repeat {
            if store.durability == .always { try waitForWriter() }
            afterEach()
            try turn { ran = executor.run() }
        } while ran > 0
        if store.durability == .always { try waitForWriter() }
        afterEach()
    }

    /// Waits until all queued changes are durable, or fail.
    func waitForWriter() throws {
        while !isSafe, persistence.journal.writer.report.failure == nil { try loop.turn() }
    }

    private var isSafe: Bool { persistence.journal.writer.report.safeThrough >= persistence.journal.handedOver }

    /// Whether a crash would lose nothing.
    var hasNothingToLose: Bool { isSafe && persistence.journal.backlogBytes == 0 }
    var hasFailed: Bool { persistence.journal.writer.report.failure != nil }

    // MARK: The end

    /// Throws if not everything could be kept.
    func stop() throws {
        daemon.bluetooth.stop()
        try persistence.finish()
    }
}

enum Devices {
    static let path = "\(#filePath.split(separator: "/Fuzzing/Daemon/")[0])/Examples/devices.json"
    static let names = ["turn-button", "red-button", "keypad", "scale", "welcome-beacon"]
}
