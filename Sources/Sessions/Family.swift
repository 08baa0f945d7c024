// Which session has begun which: a child is called `parent/id`, and lives no longer than its parent.

import GameFlow

/// Children and parents. Most sessions are neither, and take no memory here.
struct Family: ~Copyable {
    struct Link {
        let parent: SessionReference
        let id: String
        /// Whether the parent has been told that it is done.
        var isDone: Bool
    }

    private var links: [SessionReference: Link] = [:]
    private var children: [SessionReference: [String: SessionReference]] = [:]
    /// Those that are kept apart.
    var far = FarFamily()
    /// Sessions that have come back, and may have children.
    var returned: [SessionReference] = []

    var isEmpty: Bool { links.isEmpty && far.isEmpty }

    /// Whether somebody has begun it.
    func isChild(_ session: SessionReference) -> Bool {
        links[session] != nil || far.link(of: session)?.invocation != nil
    }

    /// How deep children may be below their first ancestor, and how many one session may have.
    static let (deepest, mostChildren) = (8, 32)

    func link(of child: SessionReference) -> Link? { links[child] }

    func child(_ id: String, of parent: SessionReference) -> SessionReference? { children[parent]?[id] }

    func children(of parent: SessionReference) -> [SessionReference] {
        children[parent].map { $0.sorted { $0.key < $1.key }.map(\.value) } ?? []
    }

    func count(of parent: SessionReference) -> Int { children[parent]?.count ?? 0 }

    /// How many ancestors it has.
    func depth(of session: SessionReference) -> Int {
        var (depth, here) = (0, session)
        while let link = links[here], depth <= Self.deepest { (depth, here) = (depth + 1, link.parent) }
        return depth
    }

    mutating func add(_ child: SessionReference, _ id: String, of parent: SessionReference, isDone: Bool = false) {
        links[child] = Link(parent: parent, id: id, isDone: isDone)
        children[parent, default: [:]][id] = child
    }

    /// False if that was noted before.
    mutating func noteDone(_ child: SessionReference) -> Bool {
        guard links[child]?.isDone == false else { return false }
        links[child]?.isDone = true
        return true
    }

    /// Its parent knows it no more.
    mutating func leave(_ child: SessionReference) -> Link? {
        guard let link = links.removeValue(forKey: child) else { return nil }
        children[link.parent]?[link.id] = nil
        if children[link.parent]?.isEmpty == true { children[link.parent] = nil }
        return link
    }

    /// Its children have no parent any more.
    mutating func orphan(_ parent: SessionReference) -> [SessionReference] {
        let orphans = children(of: parent)
        for child in orphans { links[child] = nil }
        children[parent] = nil
        far.forgetChildren(of: parent)
        return orphans
    }
}
