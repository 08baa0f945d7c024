// The flows of a sandbox: copies of the daemon's, with stand-ins for all that they do.

import BuiltInFlows
import GameFlow

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
            guard kind is TypedFlowKind<Startup> else { return kind.withoutWork() }
            let standIns = StartupStubs()
            let startup = FlowKind.flow(Startup.self) { $0.work(with: standIns, standIns) }
            startup.executor = executor
            return startup
        }
    }

    /// Names and sentences, for people.
    var standIns: [(name: String, says: String)] {
        let own = ([flow] + others).flatMap(Self.standIns)
        guard flow.hasEffects else { return own }
        return own + [
            (
                "other sessions",
                "only those that this one begins are here: an event for any other fails, as for one that does not exist"
            )
        ]
    }

    private static func standIns(for kind: FlowKind) -> [(name: String, says: String)] {
        if kind is TypedFlowKind<Startup> {
            return [
                ("saved session", "nobody's session was saved, until somebody has logged in"),
                ("log-in", "lets 'guest' in, at once"),
            ]
        }
        var standIns: [(String, String)] = []
        if kind.hasWork {
            standIns.append(("work of '\(kind.name)'", "does nothing: send what it would report, from an orchestrator"))
        }
        if kind.hasPerformingHooks { standIns.append(("hooks of '\(kind.name)'", "agree at once, and do nothing")) }
        return standIns
    }
}
