// Stand-ins for the outside world of the built-in flows: a scenario touches nothing real.

import BuiltInFlows
import GameFlow
import Synchronization

/// A step of a scenario that sets a stand-in's reply.
struct StandInDirective: Sendable {
    /// A question of a flow's work.
    enum Question: CaseIterable, Sendable {
        /// The session's saved user.
        case saved
        /// The user who logs in.
        case login
        /// The session's account.
        case account
        /// Whether a device passes its checks.
        case checks
        /// Whether the system grants a permission.
        case system
    }

    enum Answer: Sendable {
        /// A name; for checks, that they pass.
        case text(String)
        /// No user; a denied permission.
        case nothing
        case failure(String)
        /// Never answers.
        case silence
    }

    let question: Question
    let answer: Answer
}

/// The work of one scenario's flows.
final class StandIns: SavedSession, Authenticator, AccountLoader, DeviceChecker, PermissionSystem {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private struct Answers {
        /// Sessions that have found the user who was set. After that, their own storage counts.
        var served: Set<String> = []
        private var given: [StandInDirective.Question: StandInDirective.Answer] = [:]

        /// By default no user is saved, and all that is asked succeeds.
        subscript(question: StandInDirective.Question) -> StandInDirective.Answer {
            get {
                switch question {
                case .saved: given[question] ?? .nothing
                case .login, .account: given[question] ?? .text("guest")
                case .checks, .system: given[question] ?? .text("")
                }
            }
            set { given[question] = newValue }
        }
    }

    private let answers = Mutex(Answers())

    /// The services, with these stand-ins.
    var work: BuiltInWork {
        var work = BuiltInWork(authenticator: self, accounts: self, devices: self)
        (work.savedSession, work.system) = (self, self)
        return work
    }

    func apply(_ directive: StandInDirective) {
        answers.withLock { answers in
            answers[directive.question] = directive.answer
            if directive.question == .saved { answers.served = [] }
        }
    }

    /// A session that has its own user goes on with that one, as with the real ones.
    func user(of session: String, in storage: SessionStorage) async throws -> String? {
        if let own = await storage.text { return own }
        let isServed = answers.withLock { answers in
            guard case .text = answers[.saved] else { return false }
            return !answers.served.insert(session).inserted
        }
        return isServed ? nil : try await answer(to: .saved)
    }

    func logIn(for session: String) async throws -> String {
        guard let user = try await answer(to: .login) else { throw Failure(description: "no user logged in") }
        return user
    }

    func load(for session: String, progress: @Sendable (Int) async -> Void) async throws -> String {
        await progress(50)
        guard let account = try await answer(to: .account) else { throw Failure(description: "there is no account") }
        return account
    }

    func check(_ mac: MACAddress, for session: String) async throws {
        _ = try await answer(to: .checks)
    }

    func grants(_ permission: Permission, in session: String) async throws -> Bool {
        try await answer(to: .system) != nil
    }

    private func answer(to question: StandInDirective.Question) async throws -> String? {
        switch answers.withLock({ $0[question] }) {
        case .text(let text): text
        case .nothing: nil
        case .failure(let sentence): throw Failure(description: sentence)
        case .silence: try await Self.waitForCancellation()
        }
    }

    /// Never returns; throws when the task is cancelled.
    private static func waitForCancellation() async throws -> String? {
        let (silence, end) = AsyncStream<Never>.makeStream()
        for await _ in silence {}
        withExtendedLifetime(end) {}
        throw CancellationError()
    }
}
