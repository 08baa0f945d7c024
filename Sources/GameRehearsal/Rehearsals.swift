// The subcommands that run flows themselves, as a list.

import GameClient
import Rehearsal

extension [Subcommand] {
    /// `test` and `replay`, for these flows.
    package static func rehearsals(of flows: RehearsedFlows) -> [Subcommand] { [.test(flows), .replay(flows)] }
}
