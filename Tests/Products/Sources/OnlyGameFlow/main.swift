// A session of a flow that comes with the library.

import GameFlow

let turns = try FlowUnderTest { Turns(clock: $0) }
let seconds = Double(CommandLine.arguments.count)
turns.advance(.seconds(seconds * 29.5))
print(turns.state, turns.advance(.seconds(seconds / 2)), turns.state)
