// Helpers for the tests of gamectl.

import Simulation
import Terminal

@testable import Client
@testable import GameControl

/// The subcommands of the real gamectl.
let subcommands = SubcommandTable(with: .rehearsals(of: .builtIn))

extension Style {
    /// Without colours, so that text can be compared.
    static let plain = Style(hasColours: false)
}
