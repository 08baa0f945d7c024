// Which session has begun which: a child is called `parent/id`, and lives no longer than its parent.

import GameFlow

/// The names of children.
enum ChildName {
    static func make(_ id: String, below parent: String) -> String { parent + "/" + id }

    /// Splits a child's name into its parent's name and its id; nil if the name cannot be that of a child.
    static func split(_ name: String) -> (parent: String, id: String)? {
        guard let slash = name.lastIndex(of: "/") else { return nil }
        return (String(name[..<slash]), String(name[name.index(after: slash)...]))
    }
}

/// The link from a child to its parent.
struct ParentLink {
    enum Parent {
        /// A session that is here.
        case here(SessionReference)
        /// One that is kept apart, and is sent messages. `invocation` is the number of the child's beginning; nil if the parent is known only
        /// from the child's name, and may not exist.
        case apart(name: String, invocation: UInt64?)
    }

    let parent: Parent
    /// The child's id in its parent.
    let id: String
    /// Whether the parent has been notified that it is done.
    var isDone = false
}

/// Links between parents and children. Sessions without either, the great majority, take no memory here. Links between shards are not saved: after a
/// restart a child's own name identifies its parent.
struct Family: ~Copyable {
    /// How deep children may be below their first ancestor, and how many one session may have.
    static let (deepest, maxChildren) = (8, 32)

    private var links: [SessionReference: ParentLink] = [:]
    /// Those that are here, by what their parent calls them.
    private var children: [SessionReference: [String: SessionReference]] = [:]
    /// By parent, the numbers of the beginnings of those that are kept apart.
    private var invocations: [SessionReference: [String: UInt64]] = [:]
    /// Sessions that were reinstated, and may have children.
    var returned: [SessionReference] = []

    var isEmpty: Bool { links.isEmpty && invocations.isEmpty }

    // MARK: For children

    func link(of child: SessionReference) -> ParentLink? { links[child] }

    /// Whether another session has begun it, as far as that is known.
    func isChild(_ session: SessionReference) -> Bool {
        switch links[session]?.parent {
        case .here: true
        case .apart(_, let invocation): invocation != nil
        case nil: false
        }
    }

    /// The parent, if it is here.
    func parent(of child: SessionReference) -> SessionReference? {
        guard case .here(let parent)? = links[child]?.parent else { return nil }
        return parent
    }

    mutating func add(_ child: SessionReference, _ link: ParentLink) {
        links[child] = link
        if case .here(let parent) = link.parent { children[parent, default: [:]][link.id] = child }
    }

    /// False if that was recorded before.
    mutating func markDone(_ child: SessionReference) -> Bool {
        guard links[child]?.isDone == false else { return false }
        links[child]?.isDone = true
        return true
    }

    /// Removes the link between the child and its parent. Returns it; nil if there was none.
    mutating func unlink(_ child: SessionReference) -> ParentLink? {
        guard let link = links.removeValue(forKey: child) else { return nil }
        guard case .here(let parent) = link.parent else { return link }
        children[parent]?[link.id] = nil
        if children[parent]?.isEmpty == true { children[parent] = nil }
        return link
    }

    // MARK: For parents of children here

    func child(_ id: String, of parent: SessionReference) -> SessionReference? { children[parent]?[id] }

    func count(of parent: SessionReference) -> Int { children[parent]?.count ?? 0 }

    /// How many ancestors it has.
    func depth(of session: SessionReference) -> Int {
        var (depth, here) = (0, session)
        while let parent = parent(of: here), depth <= Self.deepest { (depth, here) = (depth + 1, parent) }
        return depth
    }

    /// Removes the parent's links to its children. Returns the children that are here.
    mutating func unlinkChildren(of parent: SessionReference) -> [SessionReference] {
        let orphans = children[parent].map { $0.sorted { $0.key < $1.key }.map(\.value) } ?? []
        for child in orphans { links[child] = nil }
        children[parent] = nil
        invocations[parent] = nil
        return orphans
    }

    // MARK: For parents of children in other shards

    /// The number of a new child's beginning.
    mutating func invoke(_ id: String, by parent: SessionReference) -> UInt64 {
        let invocation = UInt64.random(in: 1...UInt64.max)
        invocations[parent, default: [:]][id] = invocation
        return invocation
    }

    /// Whether a message is about the parent's current child. True if one of the numbers is unknown.
    func isCurrent(_ invocation: UInt64?, _ id: String, of parent: SessionReference) -> Bool {
        guard let invocation, let known = invocations[parent]?[id] else { return true }
        return invocation == known
    }

    mutating func forgetInvocation(_ id: String, by parent: SessionReference) {
        invocations[parent]?[id] = nil
        if invocations[parent]?.isEmpty == true { invocations[parent] = nil }
    }
}
