// What the tests of gamectl share.

import GameRehearsal
import Terminal

@testable import GameControl

/// The subcommands of the real gamectl.
let subcommands = SubcommandTable(with: [.test, .replay])

extension Style {
    /// Without colours, so that text can be compared.
    static let plain = Style(hasColours: false)
}
