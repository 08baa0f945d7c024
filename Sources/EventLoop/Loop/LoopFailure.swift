import Posix

/// Why the loop has failed: through a fault of the program or the machine, never of a client.
package enum LoopFailure: Error, CustomStringConvertible {
    case cannotStart(String)
    case cannotWatch(String)
    case nothingToWaitFor
    case backendFailed(errno: Int32)

    package var description: String {
        switch self {
        case .cannotStart(let what): "the event loop cannot start: \(what)"
        case .cannotWatch(let what): "the event loop cannot watch \(what)"
        case .nothingToWaitFor: "the event loop has nothing left to wait for and would spin"
        case .backendFailed(let errno): "the event loop cannot wait for events: \(systemErrorText(errno))"
        }
    }
}
