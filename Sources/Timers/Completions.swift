// Closures that wait for an answer: from another thread, the disk or a hook.

/// Completions that await the same answer. Each is called once.
package struct Completions<Answer> {
    /// Grows until the answer is there: each caller adds one.
    private var waiting: [(Answer) -> Void] = []

    package init() {}

    package init(_ completion: @escaping (Answer) -> Void) { waiting = [completion] }

    package var count: Int { waiting.count }

    package mutating func add(_ completion: @escaping (Answer) -> Void) { waiting.append(completion) }

    /// Returns all closures and empties the list, so that a closure can ask again.
    package mutating func takeAll() -> Completions {
        defer { waiting = [] }
        return self
    }

    package func complete(with answer: Answer) {
        for completion in waiting { completion(answer) }
    }
}

// MARK: - Identifies the current thread.

/// A thread's identity, for comparison.
package struct ThreadIdentity: Equatable, Sendable {
    private let bits: UInt

    /// The calling thread.
    package static var current: ThreadIdentity { ThreadIdentity(bits: Platform.thread) }
}
