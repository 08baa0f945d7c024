// The world of a sandbox, from its beginning up to one instant: a host of its own in virtual time, as that of a scenario is.

import Commands
import GameFlow
import Memory
import RESP
import Sessions
import Timers

final class SandboxWorld {
    /// The name of the session that is tried.
    static let name = "sandbox"

    private let clock = VirtualClock()
    let host: Host
    private let people: Client
    /// Speaks where a stand-in is silent.
    private let orchestrator: Client
    private let work = ManualExecutor()
    /// Timers fired so far.
    private(set) var fired = 0

    init(of flows: SandboxFlows, _ context: JSON?, in turn: SandboxTurn) throws(CommandError) {
        let kinds = flows.make(on: work)
        host = Host(on: Timekeeper(clock), flows: kinds, commands: .all, limits: SandboxBounds.limits)
        host.turns = turn
        people = Client(id: 0, from: .ui, of: host)
        orchestrator = Client(id: 0, from: .orchestrator, of: host)
        let data: JSON? = context.map { ["context": $0] }
        _ = try host.begin(ByteString(Self.name), kinds[0], data, from: .ui)
    }

    deinit {
        // Work that waits is cancelled with its session, and ends here. Children go with their parents.
        for name in host.sessions.all.map(\.nameBytes) { _ = host.sessions.find(name).map(host.sessions.drop) }
        while work.run() > 0 {}
    }

    // MARK: Reading

    var now: Instant { host.timekeeper.now }
    /// When to look next: perhaps before anything fires.
    var nextWake: Instant? { host.timekeeper.nextWake }
    /// When the next timer fires.
    var nextFiring: Instant? { host.sessions.all.flatMap(\.machine.timers).compactMap(\.nextFiring).min() }
    var session: Session? { host.sessions.find(Self.name) }

    /// The names of all sessions but the one that is tried.
    var children: [String] { host.sessions.all.map(\.name).filter { $0 != Self.name } }

    /// Changes whenever anything happens to the session; nil where there is none of that name.
    func progress(of name: String) -> [UInt32]? { host.sessions.find(name).map { [$0.life, $0.seq] } }

    // MARK: Time

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

    // MARK: Steps

    /// Throws if it is refused.
    func perform(_ step: SandboxStep) throws(CommandError) {
        let client =
            switch step.source {
            case .orchestrator: orchestrator
            case .ui, .network, .bluetooth, .timer: people
            }
        try step.execute(by: client)
    }
}
