// The longest body that an operation reads. A body is parsed as a whole, so that a longer one would make other clients wait.

import Commands
import Simulation

enum BodyLimit: Sendable {
    /// A token, of a client that may not have logged in.
    case token
    /// Names, texts and numbers.
    case words
    /// An event's payload, or a session's parameters and data.
    case payload
    /// The parameters and the data of a sandbox.
    case sandbox

    /// In bytes.
    func bytes(_ limits: Limits) -> Int {
        switch self {
        case .token: 4 << 10
        case .words: Self.base
        case .payload: Self.base + limits.payloadBytes
        case .sandbox: Self.base + 2 * SandboxBounds.payloadBytes
        }
    }

    /// Room for everything but the payload.
    private static let base = 64 << 10
}
