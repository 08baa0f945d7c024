// What is called once an answer is there: of another thread, of the disk, of a hook.

/// Completions that await the same answer. Each is called once.
package struct Completions<Answer> {
    /// Changes as long as the answer is not there: each who asks meanwhile adds one.
    private var waiting: [(Answer) -> Void] = []

    package init() {}

    package init(_ completion: @escaping (Answer) -> Void) { waiting = [completion] }

    package var count: Int { waiting.count }

    package mutating func add(_ completion: @escaping (Answer) -> Void) { waiting.append(completion) }

    /// Takes them out, so that one that is called can ask again.
    package mutating func takeAll() -> Completions {
        defer { waiting = [] }
        return self
    }

    package func complete(with answer: Answer) {
        for completion in waiting { completion(answer) }
    }
}
