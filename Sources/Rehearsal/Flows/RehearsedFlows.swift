// The flows that scenarios and replays run: a program's own, those that come with gamed, or both.

import BuiltInFlows
import GameFlow

/// Makes the flows anew for each scenario and each replay, so that none sees what another has left behind.
package struct RehearsedFlows {
    private let own: () -> [FlowKind]
    private let hasBuiltIn: Bool

    package init(_ own: @escaping () -> [FlowKind], withBuiltIn: Bool) {
        self.own = own
        hasBuiltIn = withBuiltIn
    }

    /// Those that come with gamed.
    package static var builtIn: RehearsedFlows { RehearsedFlows({ [] }, withBuiltIn: true) }

    /// Flows whose hooks and work run when `executor` is told to, in virtual time like all else.
    func make(on executor: (any TaskExecutor)?, startup: StartupStandIns) -> [FlowKind] {
        let own = own()
        for flow in own { flow.executor = executor }
        return own + (hasBuiltIn ? FlowKind.builtIn(executor: executor, session: startup, authenticator: startup) : [])
    }

    /// Throws if a daemon would not host them.
    package func check() throws(FlowProblems) {
        try FlowKind.check(makeIdle())
    }

    /// Flows that do nothing by themselves.
    package func makeIdle() -> [FlowKind] {
        let flows = make(on: nil, startup: StartupStandIns())
        for flow in flows { flow.leaveWorkUndone() }
        return flows
    }
}
