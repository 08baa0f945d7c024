// A client that has subscribed to messages or views: those of sessions by name, and those that match a pattern.

import GameFlow
import Memory
import RESP
import Sessions

/// A pattern of a client's, such as `view:room-*`.
final class ViewPattern {
    let name: ByteString
    let glob: Glob
    /// The slot of the first session not shown yet; nil once all have been.
    fileprivate(set) var cursor: Int? = 0
    /// Only sessions that have changed from this number on are shown; nil for all.
    fileprivate private(set) var since: UInt64?
    /// Whether the client is sent its position, to resume there.
    fileprivate private(set) var hasPositions = false
    fileprivate var needsPosition = false
    /// Whether the client must still be sent a gap: it may have missed something.
    fileprivate var needsGap = false
    fileprivate var pending = NameQueue()
    /// The changes with ended sessions that the client was not sent yet.
    fileprivate var missed: Range<UInt64>?
    /// Names of sessions that are gone: the table does not have them.
    fileprivate var gone = NameQueue()
    /// Its place among the client's patterns.
    fileprivate var index = 0

    fileprivate init(_ name: ByteString) {
        self.name = name
        glob = Glob(name)
    }

    /// More names than this are forgotten, and all sessions shown again.
    private static let maxPending = 4_096

    /// The session has changed. One that is still to be shown is seen then; one that is gone has no slot.
    fileprivate func enqueue(_ name: ByteString, slot: Int?) {
        guard let slot else { return gone.add(name) }
        // Another session has its name by now.
        if !gone.isEmpty { gone.remove(name) }
        if let cursor, slot >= cursor { return }
        pending.add(name)
        if pending.count > Self.maxPending { (cursor, pending) = (0, NameQueue()) }
    }

    fileprivate func popFirst() -> ByteString? { gone.popFirst() ?? pending.popFirst() }

    /// Roughly the memory of its names.
    fileprivate var bytes: Int { pending.bytes + gone.bytes }

    /// The client has missed these changes; nil if it may have missed anything.
    fileprivate func resume(after missed: Range<UInt64>?) {
        (cursor, since, needsGap) = (0, missed?.lowerBound, missed == nil)
        self.missed = missed
        (hasPositions, needsPosition) = (true, true)
    }

    fileprivate var hasViews: Bool { cursor != nil || missed != nil || !pending.isEmpty || !gone.isEmpty }
    fileprivate var hasPending: Bool { hasViews || needsPosition || needsGap }
}

/// Messages are sent at once, in order with replies. Views are sent as fast as the client reads: while there is no room, only names are kept,
/// and the newest view is sent in the end.
final class Subscriber: FeedEncoder {
    let client: Client
    private unowned let host: Host
    private(set) lazy var reader = FeedReader(self, in: queue)
    private let queue: FeedQueue
    /// The words before a text on each channel of a session's messages, or of its views, in the order of sending.
    private var heads: [SessionChannel: [[ByteString]]] = [:]
    /// Its patterns of views.
    private(set) var patterns: [ViewPattern] = []
    private var patternsByName: [ByteString: ViewPattern] = [:]
    /// The bytes of this part of a round.
    private var written = 0

    init(_ client: Client, in queue: FeedQueue) { (self.client, host, self.queue) = (client, client.host, queue) }

    var scope: SessionScope? { client.grant.scope }
    var consumer: Consumer { client.consumer }

    // MARK: Subscribing

    /// Messages come first on the sharded channel, and views on the plain one.
    func add(_ channel: SessionChannel, _ kind: ChannelKind, _ name: ByteString) {
        let (head, known) = ([kind.messageWord, name], heads[channel] ?? [])
        let isFirst = (kind == .sharded) == (channel.subject == .history)
        heads[channel] = isFirst ? [head] + known : known + [head]
    }

    /// Returns whether the session has no other channel of the subject.
    func remove(_ channel: SessionChannel, _ kind: ChannelKind, _ name: ByteString) -> Bool {
        let left = heads[channel]?.filter { $0 != [kind.messageWord, name] } ?? []
        heads[channel] = left.isEmpty ? nil : left
        return left.isEmpty
    }

    func add(pattern: ByteString) {
        let pattern = ViewPattern(pattern)
        pattern.index = patterns.count
        patterns.append(pattern)
        patternsByName[pattern.name] = pattern
        reader.enqueue()
    }

    func hasPositions(of pattern: ByteString) -> Bool { patternsByName[pattern]?.hasPositions ?? false }

    func resume(_ name: ByteString, since number: UInt64?) {
        guard let pattern = patternsByName[name] else { return }
        pattern.resume(after: number.map { $0..<host.feed.changes.next })
        reader.enqueue()
    }

    private func matches(_ name: ByteString, _ pattern: ViewPattern) -> Bool {
        client.grant.admits(name) && (SessionChannel.Subject.views.prefix + name).withBytes(pattern.glob.matches)
    }

    func remove(pattern: ByteString) {
        guard let known = patternsByName.removeValue(forKey: pattern) else { return }
        // The last one takes its place: a client may end ten thousand of them at once.
        let last = patterns.removeLast()
        if last !== known { (patterns[known.index], last.index) = (last, known.index) }
        pendingNamesDidGrow(by: -known.bytes)
    }

    // MARK: Pending views

    func enqueue(viewOf name: ByteString, by pattern: ByteString, slot: Int?) {
        guard let pattern = patternsByName[pattern], client.grant.admits(name) else { return }
        let before = pattern.bytes
        pattern.enqueue(name, slot: slot)
        pendingNamesDidGrow(by: pattern.bytes - before)
        reader.enqueue()
    }

    /// All that its patterns match.
    func enqueueMatching() {
        for pattern in patterns { pattern.cursor = 0 }
        reader.enqueue()
    }

    /// Its output has been taken back.
    func enqueueAll() {
        for channel in heads.keys where channel.subject == .views { reader.enqueue(viewOf: channel.session) }
        for pattern in patterns where pattern.hasPositions { pattern.resume(after: nil) }
        enqueueMatching()
    }

    func pendingNamesDidGrow(by bytes: Int) { client.heldBytes += bytes }

    func session(_ name: ByteString, isHere: Bool) { reader.enqueue(viewOf: name) }

    // MARK: Sending

    func send(_ text: String, about name: ByteString, under head: [ByteString]?) {
        guard client.grant.admits(name) else { return }
        if let head { return client.push(head, text) }
        for head in heads[SessionChannel(.history, of: name)] ?? [] { client.push(head, text) }
    }

    private static let room = 256 << 10
    /// Views leave half of the output to the rest.
    var hasRoom: Bool {
        !client.holdsMessages && client.output.count < min(host.limits.pauseBytes, host.limits.outputBytes / 2, Self.room)
    }

    var hasMore: Bool { patterns.contains(where: \.hasPending) }

    func write(viewOf name: ByteString) -> Int {
        heads[SessionChannel(.views, of: name)]?.reduce(0) { $0 + push(name, $1) } ?? 0
    }

    private func push(_ name: ByteString, _ words: [ByteString]) -> Int {
        guard client.grant.admits(name) else { return 0 }
        if let session = host.sessions.find(name) { host.feed.resume(session) }
        let text = host.feed.texts.text(of: name)
        client.push(words, text)
        written += text.utf8.count
        return text.utf8.count
    }

    func writeMore(_ budget: inout Int) {
        for pattern in patterns {
            let before = pattern.bytes
            if let missed = pattern.missed, !host.feed.changes.isKnown(from: missed.lowerBound) { pattern.resume(after: nil) }
            if pattern.needsGap, hasRoom { pushGap(pattern) }
            while budget > 0, hasRoom, pattern.missed != nil || !pattern.gone.isEmpty || !pattern.pending.isEmpty {
                guard let name = pattern.popFirst() else {
                    findMissed(pattern, &budget)
                    continue
                }
                guard queue.mayWrite(viewOf: name) else {
                    pattern.pending.add(name)
                    break
                }
                push(name, pattern, &budget)
            }
            while budget > 0, hasRoom, pattern.cursor != nil, showSome(pattern, &budget) {}
            pendingNamesDidGrow(by: pattern.bytes - before)
            if pattern.needsPosition, !pattern.hasViews, hasRoom { pushPosition(pattern) }
        }
    }

    private func pushGap(_ pattern: ViewPattern) {
        pattern.needsGap = false
        push(["what": "gap"], of: pattern)
    }

    /// With this position the client can go on after all that it has been sent.
    private func pushPosition(_ pattern: ViewPattern) {
        pattern.needsPosition = false
        push(["what": "position", "since": .string(host.subscriptions.position(of: scope))], of: pattern)
    }

    /// A message that is not about one session has the pattern for its channel.
    private func push(_ message: JSON, of pattern: ViewPattern) {
        let text = message.description
        client.push([ChannelKind.pattern.messageWord, pattern.name, pattern.name], text)
        written += text.utf8.count
    }

    private func push(_ name: ByteString, _ pattern: ViewPattern, _ budget: inout Int) {
        pattern.needsPosition = pattern.hasPositions
        budget -= FeedReader.pieces(
            of: push(name, [ChannelKind.pattern.messageWord, pattern.name, SessionChannel.Subject.views.prefix + name]))
    }

    /// Changes looked at in one piece of work.
    private static let changesOfPiece = 64

    /// Some of the sessions that have gone while the client was away.
    private func findMissed(_ pattern: ViewPattern, _ budget: inout Int) {
        guard let missed = pattern.missed else { return }
        budget -= 1
        let found = host.feed.changes.gone(from: missed.lowerBound, before: missed.upperBound, in: Self.changesOfPiece)
        for name in found.names where matches(name, pattern) { pattern.enqueue(name, slot: nil) }
        pattern.missed = found.next < missed.upperBound ? found.next..<missed.upperBound : nil
    }

    /// Slots looked at in one piece of work.
    private static let slotsOfPiece = 32

    /// Returns false if there is no room or time for the next view.
    private func showSome(_ pattern: ViewPattern, _ budget: inout Int) -> Bool {
        guard let start = pattern.cursor else { return false }
        budget -= 1
        let (sessions, next) = sessions(from: start, for: pattern)
        for session in sessions {
            let name = session.nameBytes
            guard matches(name, pattern) else { continue }
            guard hasRoom, queue.mayWrite(viewOf: name) else {
                pattern.cursor = Int(session.slot)
                return false
            }
            // The view that is sent now is the newest.
            pattern.pending.remove(name)
            push(name, pattern, &budget)
        }
        pattern.cursor = next == 0 ? nil : next
        return true
    }

    private func sessions(from start: Int, for pattern: ViewPattern) -> (sessions: [Session], next: Int) {
        guard let since = pattern.since else { return host.sessions.scan(from: start, atMost: Self.slotsOfPiece) }
        let found = host.feed.changes.slots(from: start, changedSince: since, atMost: Self.slotsOfPiece)
        return (found.slots.compactMap(host.sessions.find(inSlot:)), found.next ?? 0)
    }

    func flush() -> Int {
        defer { written = 0 }
        let waits = reader.hasPending
        // `Subscriptions.resumeSending` adds it again.
        client.viewsArePending = waits && !hasRoom
        // Counts the memory kept for it.
        if waits { client.endpoint?.didPushMessage(0) }
        return written
    }
}
