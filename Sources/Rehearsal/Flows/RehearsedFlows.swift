// The flows that scenarios and replays run: a program's own, the built-in ones, or both.

import BuiltInFlows
import GameFlow

/// Makes new flows for each scenario and each replay, so that they share no state.
package struct RehearsedFlows {
    private let own: () -> [FlowKind]
    private let hasBuiltIn: Bool

    package init(_ own: @escaping () -> [FlowKind], withBuiltIn: Bool) {
        self.own = own
        hasBuiltIn = withBuiltIn
    }

    /// The built-in flows.
    package static var builtIn: RehearsedFlows { RehearsedFlows({ [] }, withBuiltIn: true) }

    /// Flows whose hooks and work run on `executor`, in virtual time.
    func make(on executor: (any TaskExecutor)?, startup: StartupStandIns) -> [FlowKind] {
        let own = own()
        for flow in own { flow.executor = executor }
        return own + (hasBuiltIn ? FlowKind.builtIn(executor: executor, session: startup, authenticator: startup) : [])
    }

    /// Throws if a daemon would refuse to host them.
    package func check() throws(FlowProblems) {
        try FlowKind.check(makeIdle())
    }

    /// Flows that only decide: they begin no work, wait for no hook, and have no hooks after a step, which would perform it again.
    package func makeIdle() -> [FlowKind] {
        make(on: nil, startup: StartupStandIns()).map { $0.decidingOnly() }
    }
}
