// A service like gamed, with a flow that takes it down, so that tests see what becomes of that.

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
