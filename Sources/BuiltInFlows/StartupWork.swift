// The work of the flow `startup`, behind two small protocols, with its results reported as events.

import GameFlow

/// Stores a user's session.
public protocol SavedSession: Sendable {
    /// The user of the saved session; nil if no session is saved. `flowSession` is the flow's session that asks.
    func load(for flowSession: String) async throws -> String?
}

/// Checks who may log in.
public protocol Authenticator: Sendable {
    /// The user's name. `flowSession` is the flow's session that asks.
    func logIn(for flowSession: String) async throws -> String
}

extension FlowDefinition<Startup> {
    /// Does the work of the flow's states: reads the saved session, checks the log-in.
    public mutating func work(with session: any SavedSession, _ authenticator: any Authenticator) {
        orchestrate { state, name in
            switch state {
            case .hydrating: { await Self.hydrate(session, name) }
            case .authenticating: { await Self.authenticate(authenticator, name) }
            case .launching, .needsLogin, .error, .ready: nil
            }
        }
    }

    private static func hydrate(_ session: any SavedSession, _ name: String) async -> Startup.Event {
        // An unreadable session counts as no session: the user can still log in.
        let user = try? await session.load(for: name)
        return .hydrateSucceeded(hasSession: user != nil, userID: user ?? "")
    }

    private static func authenticate(_ authenticator: any Authenticator, _ name: String) async -> Startup.Event {
        do {
            return .loginSucceeded(userID: try await authenticator.logIn(for: name))
        } catch {
            return .loginFailed(message: "\(error)")
        }
    }
}
