// Children and parents that are kept apart, and know each other by name.

import GameFlow

/// What is not here of families. It is not saved: after a restart a child knows its parent by its own name.
struct FarFamily: ~Copyable {
    struct Link {
        let parent: String
        let id: String
        /// Nil where this is only known by its name: then it may be nobody's child.
        let invocation: UInt64?
        /// Whether the parent has been told that it is done.
        var isDone = false
    }

    private var links: [SessionReference: Link] = [:]
    /// By parent, the children that it has begun elsewhere.
    private var invocations: [SessionReference: [String: UInt64]] = [:]

    var isEmpty: Bool { links.isEmpty && invocations.isEmpty }

    // MARK: For children

    func link(of child: SessionReference) -> Link? { links[child] }

    mutating func add(_ child: SessionReference, _ link: Link) { links[child] = link }

    mutating func leave(_ child: SessionReference) -> Link? { links.removeValue(forKey: child) }

    /// False if that was noted before.
    mutating func noteDone(_ child: SessionReference) -> Bool {
        guard links[child]?.isDone == false else { return false }
        links[child]?.isDone = true
        return true
    }

    // MARK: For parents

    /// The number of a new child's beginning.
    mutating func invoke(_ id: String, by parent: SessionReference) -> UInt64 {
        let invocation = UInt64.random(in: 1...UInt64.max)
        invocations[parent, default: [:]][id] = invocation
        return invocation
    }

    /// Whether what is said of this beginning is said of the child that the parent has now, as far as anybody knows.
    func isCurrent(_ invocation: UInt64?, _ id: String, of parent: SessionReference) -> Bool {
        guard let invocation, let known = invocations[parent]?[id] else { return true }
        return invocation == known
    }

    mutating func forget(_ id: String, of parent: SessionReference) {
        invocations[parent]?[id] = nil
        if invocations[parent]?.isEmpty == true { invocations[parent] = nil }
    }

    mutating func forgetChildren(of parent: SessionReference) { invocations[parent] = nil }
}
