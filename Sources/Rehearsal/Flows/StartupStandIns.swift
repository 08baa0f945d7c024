// What the flow `startup` finds in a scenario in place of a file and of the system's users: nothing real is touched.

import BuiltInFlows
import Synchronization

/// What a scenario says of it.
enum StartupDirective: Sendable {
    /// What has become of the saved session, or of the log-in.
    enum Answer: Sendable {
        case user(String)
        case nobody
        case failure(String)
        /// No answer ever comes.
        case silence
    }

    case saved(Answer)
    case login(Answer)
}

/// The saved session and the authenticator of one scenario.
final class StartupStandIns: SavedSession, Authenticator {
    private typealias Answers = (saved: StartupDirective.Answer, login: StartupDirective.Answer)

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Somebody who starts for the first time, and can log in.
    private let answers = Mutex<Answers>((.nobody, .user("guest")))

    func follow(_ directive: StartupDirective) {
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

    /// Whoever has logged in is found the next time, as with the real ones.
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

/// An answer that does not come: whoever waits for it goes on when they are told not to wait any more.
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
