// Paths of the built gamectl and gamed, and a helper that runs gamectl to its end.

import TestSupport

extension RunningDaemon {
    /// Runs gamectl against this daemon.
    func gamectl(_ arguments: String..., input: String = "") throws -> Program {
        try Program(gamectlPath, arguments, input: input, environment: ["GAMED_SOCKET": socketPath])
    }
}

let gamectlPath = productsDirectory.appending(path: "gamectl").path
let gamedPath = productsDirectory.appending(path: "gamed").path
