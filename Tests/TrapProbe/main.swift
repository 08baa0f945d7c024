// A service like gamed, with flows that take it down, for tests of quarantine.

import BuiltInFlows
import EventLoop
import GameDaemon
import GameFlow
import Glibc
import Sessions

let status = Service.main(Array(CommandLine.arguments.dropFirst())) { _, executor, _ in
    let trapper = FlowKind.flow(Trapper.self)
    trapper.executor = executor?.tasks
    return [trapper, .flow(Oven.self), .flow(Turns.self)]
}
exit(status.rawValue)
