// The world of a sandbox, from its beginning up to one instant: a separate host in virtual time, as that of a scenario is.

import BuiltInFlows
import Commands
import GameFlow
import Memory
import RESP
import Sessions

final class SandboxWorld {
    /// The name of the session that is tried.
    static let name = "sandbox"

    private let clock = VirtualClock()
    let host: Host
    /// By the source of their events. They also play the programs and devices around the flow, where a stand-in is silent.
    private let clients: [EventSource: Client]
    private let work = ManualExecutor()
    /// Timers fired so far.
    private(set) var fired = 0

    /// `beginning` is NEW's JSON.
    init(of flows: SandboxFlows, _ beginning: JSON?, in turn: SandboxTurn) throws(CommandError) {
        let kinds = flows.make(on: work)
        let host = Host(on: Timekeeper(clock), flows: kinds, commands: .all, limits: SandboxBounds.limits)
        host.turns = turn
        self.host = host
        clients = Dictionary(
            uniqueKeysWithValues: EventSource.ofSandboxes.map { ($0, Client(id: 0, from: $0, of: host)) })
        _ = try host.begin(ByteString(Self.name), kinds[0], beginning, from: .ui)
    }

    deinit {
        // Work that waits is cancelled with its session, and ends here. Children go with their parents.
        for name in host.sessions.all.map(\.nameBytes) { _ = host.sessions.find(name).map { host.sessions.drop($0) } }
        while work.run() > 0 {}
    }

    var now: Instant { host.timekeeper.now }
    /// When to look next: perhaps before anything fires.
    var nextWake: Instant? { host.timekeeper.nextWake }
    /// When the next timer fires.
    var nextFiring: Instant? { host.sessions.all.flatMap(\.machine.timers).compactMap(\.nextFiring).min() }
    var session: Session? { host.sessions.find(Self.name) }

    /// The names of all sessions but the one that is tried.
    var children: [String] { host.sessions.all.map(\.name).filter { $0 != Self.name } }

    /// Changes whenever anything happens to the session; nil if there is no session of that name.
    func progress(of name: String) -> [UInt32]? { host.sessions.find(name).map { [$0.life, $0.seq] } }

    /// Does something that is due now. False if nothing is.
    func runNextDue() -> Bool {
        if work.run(atMost: SandboxBounds.jobs) > 0 { return true }
        guard host.timekeeper.hasDue else { return false }
        fired += host.timekeeper.fireDue(atMost: 1)
        return true
    }

    func move(to instant: Instant) {
        clock.move(to: max(instant, clock.now))
        host.timekeeper.beginTurn()
    }

    /// Throws if it is refused.
    func perform(_ step: SandboxStep) throws(CommandError) {
        if let client = clients[step.source] { try step.execute(by: client) }
    }
}

// MARK: - The flows of a sandbox

/// The flow to be tried, and those that its sessions may begin.
struct SandboxFlows {
    let flow: FlowKind
    /// Without `flow`; none where it begins no sessions.
    private let others: [FlowKind]

    init(_ flow: FlowKind, of flows: [FlowKind]) {
        self.flow = flow
        others = flow.hasEffects ? flows.filter { $0.name != flow.name } : []
    }

    /// New kinds, the flow's own first. They share a chart's compiled expressions with the daemon's, and nothing that changes.
    func make(on executor: any TaskExecutor) -> [FlowKind] {
        ([flow] + others).map { kind in
            guard Self.ownStandIns(for: kind) != nil else { return kind.withoutWork() }
            return FlowKind.builtIn(executor: executor, work: StandIns().work).first { $0.name == kind.name }
                ?? kind.withoutWork()
        }
    }

    /// Names and sentences, for people.
    var standIns: [(name: String, says: String)] {
        let own = ([flow] + others).flatMap(Self.standIns)
        guard flow.hasEffects else { return own }
        return own + [
            ("other sessions", "only those that this one creates exist: an event for any other fails")
        ]
    }

    /// Those for the work of a flow of gamed's own; nil for any other flow.
    private static func ownStandIns(for kind: FlowKind) -> [(name: String, says: String)]? {
        switch kind {
        case is TypedFlowKind<Startup>:
            [("saved session", "no user is saved, until one has logged in"), ("log-in", "admits 'guest', at once")]
        case is TypedFlowKind<Onboarding>: [("account", "is that of 'guest', at once"), ("device checks", "pass, at once")]
        case is TypedFlowKind<Permissions>: [("system", "grants everything, at once")]
        default: nil
        }
    }

    private static func standIns(for kind: FlowKind) -> [(name: String, says: String)] {
        if let own = ownStandIns(for: kind) { return own }
        var standIns: [(String, String)] = []
        if kind.hasWork {
            standIns.append(("work of '\(kind.name)'", "does nothing: send its results as an orchestrator"))
        }
        if kind.hasPerformingHooks { standIns.append(("hooks of '\(kind.name)'", "agree at once, and do nothing")) }
        return standIns
    }
}

// MARK: - The time slice of a sandbox

/// The time that all sandboxes of a daemon have together in one turn of its loop.
package final class SandboxSlice {
    private let length: Duration
    /// The rest of it in this turn.
    fileprivate private(set) var rest: Duration
    /// Used since the beginning of the turn.
    package var used: Duration { length - rest }

    package init(_ length: Duration = SandboxBounds.slice) { (self.length, rest) = (length, length) }

    /// Another turn has begun.
    package func renew() { rest = length }

    fileprivate func spend(_ time: Duration) { rest = rest - time }
}

/// The turn of a sandbox's host, which has no loop: the caller that walks the sandbox fires its timers, and continues in the next call.
final class SandboxTurn: TurnBudget {
    private let clock = SystemClock()
    private var end: Instant
    private(set) var turns = 0
    weak var stepper: (any DueTimerStepper)?
    private var began: Instant
    private let slice: SandboxSlice?

    /// Without a slice that all sandboxes share, each call has one to itself.
    init(_ slice: SandboxSlice? = nil) {
        self.slice = slice
        began = clock.now
        end = began
    }

    func begin() {
        turns += 1
        began = clock.now
        end = began.advanced(by: max(.zero, slice?.rest ?? SandboxBounds.slice))
    }

    /// Ends the call and charges its time.
    func finish() { slice?.spend(began.duration(to: clock.now)) }

    var isBudgetExhausted: Bool { clock.now >= end }
    var isUnderWay: Bool { true }
    var pieces: Int { 0 }
    /// Turn times of a sandbox are not measured.
    var turnTimes: DurationHistogram { DurationHistogram() }
    var recentLongestTurn: Duration { .zero }

    /// Nothing in a sandbox waits for real time.
    func schedule(after milliseconds: Int, _ body: @escaping () -> Void) -> AnyObject? { nil }
    func schedule(_ body: @escaping () -> Void) {}
    func charge(pieces count: Int) {}
    func fireDueTimers() {}
}

// MARK: - Limits of one sandbox: time, work and memory.

/// The bounds of a sandbox. Many can be walked at once in a daemon that has other things to do.
package enum SandboxBounds {
    /// How far its time goes, in milliseconds: 30 days.
    static let time = 30 * 86_400_000
    /// Timers fired between the beginning and the instant at which it stands, so that any instant can be walked to again.
    static let firings = 20_000
    /// Steps, and the bytes of all of them.
    static let (steps, stepBytes) = (500, 1 << 20)
    /// Lines that are shown.
    static let lines = 200
    /// Real time of one call, unless a single step of the flow takes longer.
    package static let slice = Duration.milliseconds(4)
    /// The parameters of its session, and the data of one step, have at most these bytes each.
    package static let payloadBytes = 64 << 10
    /// Jobs of stand-ins between two looks at the clock.
    static let jobs = 64

    /// Those of its sessions.
    static var limits: Limits {
        var limits = Limits()
        limits.sessions = 64
        limits.historyLines = 4_096
        limits.sessionHistory = lines
        limits.historyBytes = 512 << 10
        limits.payloadBytes = payloadBytes
        limits.waitingBytes = 256 << 10
        // A step back takes anything back.
        limits.undoMilliseconds = 0
        return limits
    }
}

extension CommandError {
    static let sandboxIsBusy = CommandError(
        .busy, "the sandbox is still moving to an instant; try again when it has arrived")

    static func sandboxEnds(_ what: String) -> CommandError {
        CommandError(
            .limit, "\(what); a sandbox's time goes from 0 to \(SandboxBounds.time) ms, which is 30 days")
    }
}
