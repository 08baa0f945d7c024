// A service like gamed, with flows that take it down, for tests of quarantine.

import BuiltInFlows
import EventLoop
import GameDaemon
import GameFlow
import Glibc
import Sessions
import TestSupport

// Its scenarios are those of a flow that prints: `trap-probe test FILE`.
if CommandLine.arguments.dropFirst().first == "test" { Gamed.main(flows: [.flow(PrintingFlow.self)]) }
let status = Service.main(Array(CommandLine.arguments.dropFirst())) { _, executor, _ in
    let trapping = FlowKind.flow(TrappingFlow.self)
    trapping.executor = executor?.tasks
    return [trapping, .flow(Oven.self), .flow(EffectFlow.self), .flow(Turns.self)]
}
exit(status.rawValue)
