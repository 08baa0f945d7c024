// A service like gamed, with a flow that takes it down, so that tests see what becomes of that.

import GameDaemon
import GameFlow
import Glibc

let status = Service.main(Array(CommandLine.arguments.dropFirst())) { _, executor, _ in
    let setup = MachineSetup<Trapper>()
    setup.executor = executor?.tasks
    return [FlowType(setup: setup) { Trapper(clock: $0) }, FlowType(setup: MachineSetup()) { Turns(clock: $0) }]
}
exit(status.rawValue)
