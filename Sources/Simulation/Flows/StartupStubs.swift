// Stand-ins for the files and users that the flow `startup` works with: a scenario touches nothing real.

import BuiltInFlows
import Synchronization

/// A step's directive about them.
enum StartupDirective: Sendable {
    /// The result of the saved session or the log-in.
    enum Answer: Sendable {
        case user(String)
        case nobody
        case failure(String)
        /// Never answers.
        case silence
    }

    case saved(Answer)
    case login(Answer)
}

/// The saved session and the authenticator of one scenario.
final class StartupStubs: SavedSession, Authenticator {
    private typealias Answers = (saved: StartupDirective.Answer, login: StartupDirective.Answer)

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The default: no saved session, and a log-in that works.
    private let answers = Mutex<Answers>((.nobody, .user("guest")))

    func apply(_ directive: StartupDirective) {
        answers.withLock { answers in
            switch directive {
            case .saved(let answer): answers.saved = answer
            case .login(let answer): answers.login = answer
            }
        }
    }

    func load(for flowSession: String) async throws -> String? {
        try await answer(answers.withLock(\.saved))
    }

    func forget(_ user: String, for flowSession: String) async {
        answers.withLock { answers in
            if case .user(user) = answers.saved { answers.saved = .nobody }
        }
    }

    /// A user that has logged in is saved, as with the real ones.
    func logIn(for flowSession: String) async throws -> String {
        guard let user = try await answer(answers.withLock(\.login)) else { throw Failure(description: "nobody logged in") }
        answers.withLock { $0.saved = .user(user) }
        return user
    }

    private func answer(_ answer: StartupDirective.Answer) async throws -> String? {
        switch answer {
        case .user(let name): name
        case .nobody: nil
        case .failure(let sentence): throw Failure(description: sentence)
        case .silence: try await Silence().last()
        }
    }
}

/// Never returns until it is cancelled.
private final class Silence: Sendable {
    private enum Phase {
        case begun
        case waiting(CheckedContinuation<String?, any Error>)
        case over
    }

    private let phase = Mutex(Phase.begun)

    func last() async throws -> String? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = phase.withLock { phase in
                    if case .over = phase { return true }
                    phase = .waiting(continuation)
                    return false
                }
                if isOver { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            end()
        }
    }

    private func end() {
        let waiting: CheckedContinuation<String?, any Error>? = phase.withLock { phase in
            defer { phase = .over }
            if case .waiting(let continuation) = phase { return continuation }
            return nil
        }
        waiting?.resume(throwing: CancellationError())
    }
}
