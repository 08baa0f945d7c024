// A service like gamed, with a flow that takes it down, for tests of quarantine.

import BuiltInFlows
import EventLoop
import GameDaemon
import GameFlow
import Glibc
import Sessions

let status = Service.main(Array(CommandLine.arguments.dropFirst())) { _, executor, _ in
    let trapper = FlowKind.flow(Trapper.self)
    trapper.executor = executor?.tasks
    return [trapper, .flow(Turns.self)]
}
exit(status.rawValue)
