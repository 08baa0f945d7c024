// A client that has subscribed to views, and what it is still to be sent.

import Memory
import RESP
import Sessions

/// A pattern of a client's, such as `view:room-*`.
final class ViewPattern {
    let name: ByteString
    let glob: Glob
    /// The first slot whose session has not been shown; nil once all have been.
    fileprivate(set) var cursor: Int? = 0
    fileprivate var owed = OwedViews()

    fileprivate init(_ name: ByteString) {
        self.name = name
        glob = Glob(name)
    }

    /// More names than this are forgotten, and all sessions shown again.
    private static let mostOwed = 4_096

    /// The session has changed. One that is still to be shown is seen then; one that is gone has no slot.
    fileprivate func owe(_ name: ByteString, slot: Int?, _ sessions: Sessions) {
        if let cursor, let slot, slot >= cursor { return }
        owed.add(name)
        guard owed.count > Self.mostOwed else { return }
        cursor = 0
        // Those that are gone would not be met again.
        owed.removeAll { sessions.find($0) != nil }
    }

    fileprivate func beginAgain() { cursor = 0 }

    fileprivate var isOwed: Bool { cursor != nil || !owed.isEmpty }
}

/// Views are sent as fast as the client reads: while there is no room, only names are kept, and the newest view is sent in the end.
final class ViewReader {
    /// How a view is subscribed to.
    enum Way {
        case channel, sharded
        case pattern(ViewPattern)
    }

    let client: Client
    /// Sessions by the kind of channel.
    private var names: Set<ByteString> = []
    private var shardedNames: Set<ByteString> = []
    private var owed = OwedViews()
    private(set) var patterns: [ViewPattern] = []
    private var patternsByName: [ByteString: ViewPattern] = [:]
    /// The bytes that are counted for it.
    private var counted = 0
    /// Whether it is in the feed's list of those that are owed something.
    var isListed = false

    init(_ client: Client) {
        self.client = client
    }

    var isOver: Bool { names.isEmpty && shardedNames.isEmpty && patterns.isEmpty }
    var isOwed: Bool { !owed.isEmpty || patterns.contains(where: \.isOwed) }
    /// Whether it reads what it is sent.
    var hasRoom: Bool { client.output.count < min(client.host.limits.pauseBytes, Self.room) }
    private static let room = 256 << 10

    // MARK: What is owed

    func follows(_ name: ByteString) -> Bool { names.contains(name) || shardedNames.contains(name) }

    func add(_ name: ByteString, _ kind: Subscriptions.Kind) {
        if kind == .sharded { shardedNames.insert(name) } else { names.insert(name) }
        owed.add(name)
        count()
    }

    func add(pattern: ByteString) {
        let pattern = ViewPattern(pattern)
        patterns.append(pattern)
        patternsByName[pattern.name] = pattern
    }

    func remove(_ name: ByteString, _ kind: Subscriptions.Kind) {
        if kind == .sharded { shardedNames.remove(name) } else { names.remove(name) }
        if !follows(name) { owed.remove(name) }
        count()
    }

    func remove(pattern: ByteString) {
        guard let known = patternsByName.removeValue(forKey: pattern) else { return }
        patterns.removeAll { $0 === known }
        count()
    }

    /// A session that it has subscribed to by name has changed.
    func owe(_ name: ByteString) {
        owed.add(name)
        count()
    }

    /// A session has changed that it has subscribed to by a pattern.
    func owe(_ name: ByteString, by pattern: ByteString, slot: Int?, _ sessions: Sessions) {
        guard let pattern = patternsByName[pattern], client.grant.admits(name) else { return }
        let before = pattern.owed.bytes
        pattern.owe(name, slot: slot, sessions)
        client.heldBytes += pattern.owed.bytes - before
        counted += pattern.owed.bytes - before
    }

    /// What it was sent has been taken back.
    func oweAll() {
        for name in names.union(shardedNames) { owed.add(name) }
        for pattern in patterns { pattern.beginAgain() }
        count()
    }

    private func count() {
        let now = owed.bytes + patterns.reduce(0) { $0 + $1.owed.bytes }
        client.heldBytes += now - counted
        counted = now
    }

    // MARK: Sending

    /// Sends what is owed, while there is room and as far as the budget goes.
    func send(_ feed: ViewFeed, _ budget: inout Int) {
        while budget > 0, hasRoom, let name = owed.popFirst() { show(name, feed, &budget) }
        for pattern in patterns {
            while budget > 0, hasRoom, let name = pattern.owed.popFirst() {
                feed.push(name, .pattern(pattern), to: client, &budget)
            }
            while budget > 0, hasRoom, pattern.cursor != nil { showSome(pattern, feed, &budget) }
        }
        count()
    }

    private func show(_ name: ByteString, _ feed: ViewFeed, _ budget: inout Int) {
        if names.contains(name) { feed.push(name, .channel, to: client, &budget) }
        if shardedNames.contains(name) { feed.push(name, .sharded, to: client, &budget) }
    }

    /// Slots looked at in one piece of work.
    private static let slotsOfPiece = 32

    private func showSome(_ pattern: ViewPattern, _ feed: ViewFeed, _ budget: inout Int) {
        guard let start = pattern.cursor else { return }
        budget -= 1
        let (sessions, next) = feed.sessions.scan(from: start, atMost: Self.slotsOfPiece)
        for session in sessions {
            guard hasRoom else { return pattern.cursor = Int(session.machine.tag) }
            let name = session.nameBytes
            guard client.grant.admits(name), (ViewFeed.prefix + name).withBytes(pattern.glob.matches) else { continue }
            // What is sent now is the newest.
            pattern.owed.remove(name)
            feed.push(name, .pattern(pattern), to: client, &budget)
        }
        pattern.cursor = next == 0 ? nil : next
    }
}
