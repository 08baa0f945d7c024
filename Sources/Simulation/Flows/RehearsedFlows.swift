// The flows that scenarios and replays run: a program's own, the built-in ones, and those of files.

import BuiltInFlows
import Statecharts
import GameFlow

/// Makes new flows for each scenario and each replay, so that they share no state.
package struct RehearsedFlows: Sendable {
    /// Called on the thread that runs the command line, and nowhere else.
    nonisolated(unsafe) private let own: () -> [FlowKind]
    private let hasBuiltIn: Bool
    /// Flows of files. One hides others of its name.
    private var charts: [ChartDefinition] = []

    package init(_ own: @escaping () -> [FlowKind], withBuiltIn: Bool) {
        self.own = own
        hasBuiltIn = withBuiltIn
    }

    /// The built-in flows.
    package static var builtIn: RehearsedFlows { RehearsedFlows({ [] }, withBuiltIn: true) }

    /// The same with flows of files, which hide those of their names: a scenario tells the same of a flow and of its file.
    package func with(_ charts: [ChartDefinition]) -> RehearsedFlows {
        var flows = self
        let names = Set(charts.map(\.name))
        flows.charts = charts + self.charts.filter { !names.contains($0.name) }
        return flows
    }

    /// The flow of a file; nil if the name is not that of a flow file.
    func chart(named name: String) -> ChartDefinition? { charts.first { $0.name == name } }

    /// The flows, with hooks and work that run on `executor`, in virtual time.
    func make(on executor: (any TaskExecutor)?, _ standIns: StandIns) -> [FlowKind] {
        let own = own()
        for flow in own { flow.executor = executor }
        let builtIn = hasBuiltIn ? FlowKind.builtIn(executor: executor, work: standIns.work) : []
        // The flows of files were tried when the files were read.
        let fromFiles = charts.compactMap { try? FlowKind.chart($0) }
        for flow in fromFiles { flow.executor = executor }
        return (own + builtIn).filter { chart(named: $0.name) == nil } + fromFiles
    }

    /// Throws if a daemon would refuse to host them.
    package func check() throws(FlowProblems) {
        try FlowKind.check(makeIdle())
    }

    /// Flows that only decide: they begin no work, wait for no hook, and have no hooks after a step, which would perform it again.
    package func makeIdle() -> [FlowKind] {
        make(on: nil, StandIns()).map { $0.decidingOnly() }
    }
}
