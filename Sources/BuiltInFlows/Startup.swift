// An app starts: it looks for a saved session, and lets people log in if none exists. A reducer, with a validator, hooks, and an orchestrator that
// does the work. Only orchestrators report the work's results: a client cannot log in by sending the event itself.

import GameFlow

/// An app starts, and lets its user in.
public struct Startup: ReducerFlow {
    public enum State: FlowState {
        /// The process has just begun.
        case launching
        /// A saved session is being looked for.
        case hydrating(Countdown)
        /// There is no saved session: a user must log in.
        case needsLogin
        /// The log-in is being checked.
        case authenticating(Countdown)
        /// Something went wrong, and can be tried again.
        case error(message: String)
        /// A user is in, and has perhaps opened a link.
        case ready(userID: String, link: String?)
    }

    public enum Event: Sendable, Equatable {
        case didLaunch
        /// The saved session has been read: whether one exists, and its user.
        case hydrateSucceeded(hasSession: Bool, userID: String)
        case loginRequested
        case loginSucceeded(userID: String)
        case loginFailed(message: String)
        case retry
        /// The user leaves; another one can log in.
        case logOut
        /// The server has ended the session.
        case sessionRevoked
        /// A link that opens as soon as a user is in.
        case deepLink(path: String)
        case timeIsUp
    }

    public static let events = Catalogue<Event>(
        .plain(.didLaunch), hydrateSucceeded, .plain(.loginRequested, label: "Log in"),
        .text(Event.loginSucceeded, .text("userID", length: 1...200), from: .orchestrators, samples: ["ann"]),
        .text(Event.loginFailed, from: .orchestrators, samples: ["wrong password"]),
        .plain(.retry, label: "Try again"), .plain(.logOut, label: "Log out"),
        .plain(.sessionRevoked, from: .orchestrators),
        .text(Event.deepLink, label: "Open a link", hint: "like /news/7", samples: ["/news/7"]), .timer(.timeIsUp))

    public static let fields = [userID, .text("message").defaulting(to: "")]

    private static let userID = PayloadKind.text("userID", length: 0...200)
    private static let hydrateSucceeded = EventSpec<Event>.object(
        .object("session", [.boolean("hasSession"), userID.optional]), from: .orchestrators,
        samples: [.hydrateSucceeded(hasSession: false, userID: ""), .hydrateSucceeded(hasSession: true, userID: "ann")]
    ) { payload in
        .hydrateSucceeded(hasSession: payload.boolean("hasSession") ?? false, userID: payload.text("userID") ?? "")
    }

    public static let hydrating = TimerPlan.countdown("hydrating", .seconds(5), message: Event.timeIsUp)
    public static let authenticating = TimerPlan.countdown("authenticating", .seconds(30), message: Event.timeIsUp)
    public static let timers = [hydrating, authenticating]

    public let clock: FlowClock

    public init(clock: FlowClock) {
        self.clock = clock
    }

    public func initialState() throws -> State { .launching }

    public func reduce(_ state: State, _ event: Event) throws -> State? {
        switch (state, event) {
        case (.launching, .didLaunch), (.error, .retry): try hydrate()
        case (.hydrating, .hydrateSucceeded(true, "")):
            throw FlowError.refused("a saved session has a user: say who, in userID")
        case (.hydrating, .hydrateSucceeded(true, let userID)): .ready(userID: userID, link: nil)
        case (.hydrating, .hydrateSucceeded(false, _)): .needsLogin
        case (.hydrating, .timeIsUp): .error(message: "the saved session could not be read in time")
        case (.needsLogin, .loginRequested): try authenticate()
        case (.authenticating, .loginSucceeded(let userID)): .ready(userID: userID, link: nil)
        case (.authenticating, .loginFailed(let message)): .error(message: message)
        case (.authenticating, .timeIsUp): .error(message: "the log-in was not answered in time")
        case (.ready(let userID, _), .deepLink(let path)): .ready(userID: userID, link: path)
        // The next user does not get the link of the one before.
        case (.ready, .logOut), (.ready, .sessionRevoked): .needsLogin
        default: nil
        }
    }

    /// A link that comes too early opens when a user is in.
    public func postpones(_ event: Event, in state: State) -> Bool {
        switch (state, event) {
        case (.ready, _): false
        case (_, .deepLink): true
        default: false
        }
    }

    private func hydrate() throws -> State {
        .hydrating(try Countdown(Self.hydrating, on: clock))
    }

    private func authenticate() throws -> State {
        .authenticating(try Countdown(Self.authenticating, on: clock))
    }

    public static func configure(_ definition: inout FlowDefinition<Self>) {
        definition.validate { _, _, to in
            isReadyWithoutUser(to) ? "nobody can be ready without a user: the event must say who, in userID" : nil
        }
        definition.after { session, _ in rememberUser(of: session) }
    }

    /// Stores the user in the step that enters `ready`, and removes them in the step that enters `needsLogin`, so that a crash cannot separate the two.
    private static func rememberUser(of session: any FlowSession<Self>) {
        switch session.state {
        // A name longer than what a session can store is not stored: that user must log in again.
        case .ready(let userID, _): try? session.store(userID)
        case .needsLogin: try? session.store(nil)
        case .launching, .hydrating, .authenticating, .error: break
        }
    }

    public func check(_ restored: State) throws(FlowError) {
        if Self.isReadyWithoutUser(restored) { throw .refused("nobody can be ready without a user: say who, in userID") }
    }

    private static func isReadyWithoutUser(_ state: State) -> Bool {
        if case .ready(let userID, _) = state { userID.isEmpty } else { false }
    }

    public func screen(for state: State) -> Screen {
        switch state {
        case .launching: Screen(title: "Hello", text: "Starting.", progress: 0)
        case .hydrating: Screen(title: "One moment", text: "Looking for your last session.", progress: 0.25)
        case .needsLogin: Screen(title: "Log in", text: "There is no session to go on with.", progress: 0.5)
        case .authenticating: Screen(title: "One moment", text: "Checking who you are.", progress: 0.75)
        case .error(let message): Screen(title: "That did not work", text: message)
        case .ready(let userID, let link):
            Screen(title: "Welcome, \(userID)", text: link.map { "Opened \($0)." } ?? "", progress: 1)
        }
    }
}

// MARK: - The work of the flow `startup`, behind two small protocols, with its results reported as events.

/// Finds the user whom a session remembers.
public protocol SavedSession: Sendable {
    /// The user to go on with; nil if there is none.
    func user(of session: String, in storage: SessionStorage) async throws -> String?
}

/// The user that the session has stored.
public struct StoredUser: SavedSession {
    public init() {}

    public func user(of session: String, in storage: SessionStorage) async -> String? { await storage.text }
}

/// Checks who may log in.
public protocol Authenticator: Sendable {
    /// The user's name. `session` is the flow's session that asks.
    func logIn(for session: String) async throws -> String
}

extension FlowDefinition<Startup> {
    /// Does the work of the flow's states: finds the session's user, checks the log-in.
    public mutating func work(with saved: any SavedSession, _ authenticator: any Authenticator) {
        orchestrate { session, state in
            switch state {
            case .hydrating: { await Self.hydrate(saved, session) }
            case .authenticating: { await Self.authenticate(authenticator, session.name) }
            case .launching, .needsLogin, .error, .ready: nil
            }
        }
    }

    private static func hydrate(_ saved: any SavedSession, _ session: WorkingSession<Startup.Event>) async -> Startup.Event {
        // A user who cannot be found can still log in.
        let user = try? await saved.user(of: session.name, in: session.storage)
        return .hydrateSucceeded(hasSession: user != nil, userID: user ?? "")
    }

    private static func authenticate(_ authenticator: any Authenticator, _ session: String) async -> Startup.Event {
        do {
            return .loginSucceeded(userID: try await authenticator.logIn(for: session))
        } catch {
            return .loginFailed(message: "\(error)")
        }
    }
}
