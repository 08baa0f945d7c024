// The work of a start: done elsewhere, behind two small protocols, and reported back as events.

import Timers

/// Where a user's session is kept.
public protocol SavedSession: Sendable {
    /// The user whose session was saved; nil if there is none.
    func load() async throws -> String?
}

/// Whoever knows who may come in.
public protocol Authenticator: Sendable {
    /// The user's name.
    func logIn() async throws -> String
}

extension MachineSetup<Startup> {
    /// Has the work of the flow's states done: read the saved session, check the log-in.
    public func work(with session: any SavedSession, _ authenticator: any Authenticator) {
        orchestrate { state in
            switch state {
            case .hydrating: { await Self.hydrate(session) }
            case .authenticating: { await Self.authenticate(authenticator) }
            case .launching, .needsLogin, .error, .ready: nil
            }
        }
    }

    private static func hydrate(_ session: any SavedSession) async -> Startup.Event {
        // A session that cannot be read is none: the user can still log in.
        let user = try? await session.load()
        return .hydrateSucceeded(hasSession: user != nil, userID: user ?? "")
    }

    private static func authenticate(_ authenticator: any Authenticator) async -> Startup.Event {
        do {
            return .loginSucceeded(userID: try await authenticator.logIn())
        } catch {
            return .loginFailed(message: "\(error)")
        }
    }
}

/// Writes down what a machine does, and for how long it was in each state.
public final class StateDiary<F: Flow> {
    public private(set) var lines: [String] = []
    public private(set) var timeIn: [String: Duration] = [:]
    private var enteredAt: Instant?

    public init() {}

    public func keep(_ setup: MachineSetup<F>) {
        setup.after { [self] machine, change in
            lines.append("\(change.from) -> \(change.to) on \(change.eventName ?? "force")")
            let began = enteredAt ?? .zero
            timeIn[change.from, default: .zero] += began.duration(to: change.at)
            enteredAt = change.at
        }
    }
}
