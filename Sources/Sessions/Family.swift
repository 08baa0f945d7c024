// Which session has begun which: a child is called `parent/id`, and lives no longer than its parent.

import GameFlow

package enum ChildName {
    static func make(_ id: String, below parent: String) -> String { parent + "/" + id }

    /// Splits a child's name into its parent's name and its id; nil if the name cannot be that of a child.
    package static func split(_ name: String) -> (parent: String, id: String)? {
        guard let slash = name.lastIndex(of: "/") else { return nil }
        return (String(name[..<slash]), String(name[name.index(after: slash)...]))
    }

    /// The child's id in the parent of that name.
    static func id(of name: String, below parent: String) -> String {
        String(Substring(name.utf8.dropFirst(parent.utf8.count + 1)))
    }
}

/// The link from a child to its parent, in the same shard or another.
struct ParentLink {
    /// The parent's name.
    let parent: String
    /// The child's id in its parent.
    let id: String
    /// The number of the child's beginning; nil if the parent is known only from the child's name, and may not exist.
    let invocation: UInt64?
    /// Whether the parent has been notified that it is done.
    var isDone = false
}

/// A child's messages to its parent: reports of its outcome, and events.
enum ChildSignal { case report, event }

/// Links from children to their parents, and each parent's children. Sessions without either, the great majority, take no memory here. Nothing of
/// this is saved: after a restart, parents know the ids of their children, and a child's own name identifies its parent.
struct Family: ~Copyable {
    /// How deep children may be below their first ancestor, and how many one session may have.
    static let (deepest, maxChildren) = (8, 32)

    private var links: [SessionReference: ParentLink] = [:] { didSet { updateIsEmpty() } }
    /// A parent's current child of an id.
    private struct CurrentChild {
        /// The number of its beginning; nil if it is unknown.
        var invocation: UInt64?
        /// Whether the number is one of a relink. Messages that the child sent before it received the number have an earlier one.
        var isRelinked = false
    }

    /// By parent and the child's id.
    private var children: [SessionReference: [String: CurrentChild]] = [:] { didSet { updateIsEmpty() } }
    /// The ids of children in other shards that a parent has dropped, the latest `maxChildren`: an event that such a child sent before may still arrive.
    private var dropped: [SessionReference: [String]] = [:] { didSet { updateIsEmpty() } }
    /// The ids of children that could not begin, until their parent knows that: a session of such a name is not its child.
    private var failed: [SessionReference: Set<String>] = [:] { didSet { updateIsEmpty() } }
    /// Restored sessions that may have children and a parent, and are not linked yet.
    var returned: [SessionReference] = []

    /// Read at each event.
    private(set) var isEmpty = true

    private mutating func updateIsEmpty() {
        isEmpty = links.isEmpty && children.isEmpty && dropped.isEmpty && failed.isEmpty
    }

    /// The number of a new child's beginning.
    static func newInvocation() -> UInt64 { .random(in: 1...UInt64.max) }

    // MARK: For children

    func link(of child: SessionReference) -> ParentLink? { links[child] }

    /// Whether another session has begun it, as far as that is known.
    func isChild(_ session: SessionReference) -> Bool { parent(of: session) != nil }

    /// The session that has begun it; nil if none is known to have.
    func parent(of session: SessionReference) -> String? {
        links[session].flatMap { $0.invocation == nil ? nil : $0.parent }
    }

    mutating func add(_ child: SessionReference, _ link: ParentLink) { links[child] = link }

    /// False if that was recorded before.
    mutating func markDone(_ child: SessionReference) -> Bool {
        guard links[child]?.isDone == false else { return false }
        links[child]?.isDone = true
        return true
    }

    /// Removes the link from the child to its parent. Returns it; nil if there was none.
    @discardableResult
    mutating func unlink(_ child: SessionReference) -> ParentLink? { links.removeValue(forKey: child) }

    // MARK: For parents

    mutating func addChild(_ id: String, _ invocation: UInt64, isRelinked: Bool = false, to parent: SessionReference) {
        children[parent, default: [:]][id] = CurrentChild(invocation: invocation, isRelinked: isRelinked)
        if !dropped.isEmpty { forgetDrop(of: id, by: parent) }
        removeFailure(of: id, by: parent)
    }

    /// Another child of this id may still run.
    mutating func addFailure(of id: String, by parent: SessionReference) {
        if children[parent]?[id] == nil { failed[parent, default: []].insert(id) }
    }

    /// Returns whether there was one.
    @discardableResult
    mutating func removeFailure(of id: String, by parent: SessionReference) -> Bool {
        guard !failed.isEmpty, failed[parent]?.remove(id) != nil else { return false }
        if failed[parent]?.isEmpty == true { failed[parent] = nil }
        return true
    }

    /// A child of a restored parent. The number of its beginning is unknown, unless it is linked already.
    mutating func expectChild(_ id: String, of parent: SessionReference) {
        if children[parent]?[id] == nil { children[parent, default: [:]][id] = CurrentChild() }
    }

    /// The number of the child's beginning; nil if it is unknown.
    func invocation(of id: String, by parent: SessionReference) -> UInt64? { children[parent]?[id]?.invocation }

    /// Whether a report or an event is from the parent's current child; nil if the child or one of the numbers is unknown. After a relink, the child
    /// reports again, and an earlier report is ignored; events are sent once.
    func isCurrent(_ invocation: UInt64?, _ id: String, of parent: SessionReference, sending kind: ChildSignal) -> Bool? {
        guard let current = children[parent]?[id] else { return dropped[parent]?.contains(id) == true ? false : nil }
        guard let invocation, let known = current.invocation else { return nil }
        return invocation == known || kind == .event && current.isRelinked
    }

    /// How many children it has, without the one of this id.
    func count(of parent: SessionReference, excluding id: String) -> Int {
        children[parent]?.keys.count { $0 != id } ?? 0
    }

    mutating func removeChild(_ id: String, of parent: SessionReference) {
        children[parent]?.removeValue(forKey: id)
        if children[parent]?.isEmpty == true { children[parent] = nil }
    }

    /// Removes a child that its parent drops. `isRemote` if the child is in another shard.
    mutating func removeDroppedChild(_ id: String, of parent: SessionReference, isRemote: Bool) {
        removeChild(id, of: parent)
        guard isRemote else { return }
        forgetDrop(of: id, by: parent)
        dropped[parent, default: []].append(id)
        if let ids = dropped[parent], ids.count > Self.maxChildren { dropped[parent] = Array(ids.dropFirst()) }
    }

    private mutating func forgetDrop(of id: String, by parent: SessionReference) {
        dropped[parent]?.removeAll { $0 == id }
        if dropped[parent]?.isEmpty == true { dropped[parent] = nil }
    }

    /// Removes all of the parent's children. Returns their ids in order.
    @discardableResult
    mutating func removeChildren(of parent: SessionReference) -> [String] {
        (dropped[parent], failed[parent]) = (nil, nil)
        return children.removeValue(forKey: parent)?.keys.sorted() ?? []
    }
}
