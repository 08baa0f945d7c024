// A reader of the feed, and its pending sessions: a client on the wire, or a stream of the page.

import Memory

/// Writes what a reader gets, in its own format.
package protocol FeedEncoder: AnyObject {
    /// The sessions that its client may see; nil for all.
    var scope: SessionScope? { get }
    /// Its client as shared bounds count it.
    var consumer: Consumer { get }
    /// Whether its client has read enough to be sent more.
    var hasRoom: Bool { get }
    /// Whether anything is pending besides views and histories of single sessions.
    var hasMore: Bool { get }

    /// Sends a message about a session at once, even without room. `head` has the words before its text; nil for those of the session's channels.
    func send(_ text: String, about name: ByteString, under head: [ByteString]?)
    /// Returns the bytes that this has added.
    func write(viewOf name: ByteString) -> Int
    func write(historyOf name: ByteString) -> Int
    /// The session is gone before its client had room for the rest of its history, which has a gap then.
    func skip(historyOf name: ByteString)
    /// Writes a part of the rest, and takes its work from the budget.
    func writeMore(_ budget: inout Int)
    /// The reader's part of the round is over. Returns the bytes that were written in it.
    func flush() -> Int
    /// The view of a session that the pattern matches is pending. A session that is gone has no slot.
    func enqueue(viewOf name: ByteString, by pattern: ByteString, slot: Int?)
    /// Called when the pending names take `bytes` more bytes.
    func pendingNamesDidGrow(by bytes: Int)
    /// The session has come from another node, or has moved to one.
    func session(_ name: ByteString, isHere: Bool)
}

/// For what a reader does not read.
extension FeedEncoder {
    package func send(_ text: String, about name: ByteString, under head: [ByteString]?) {}
    package func write(viewOf name: ByteString) -> Int { 0 }
    package func write(historyOf name: ByteString) -> Int { 0 }
    package func skip(historyOf name: ByteString) {}
    package func enqueue(viewOf name: ByteString, by pattern: ByteString, slot: Int?) {}
    package func pendingNamesDidGrow(by bytes: Int) {}
    package func session(_ name: ByteString, isHere: Bool) {}
}

package final class FeedReader {
    package unowned let encoder: any FeedEncoder
    private let queue: FeedQueue
    private var views = NameQueue()
    private var histories = NameQueue()
    /// Whether it waits in the queue.
    var isQueued = false
    /// Whether it has stopped reading. Then its encoder may be gone.
    private(set) var isOver = false

    package init(_ encoder: any FeedEncoder, in queue: FeedQueue) { (self.encoder, self.queue) = (encoder, queue) }

    package var hasPending: Bool { !views.isEmpty || !histories.isEmpty || encoder.hasMore }

    package func enqueue(viewOf name: ByteString) { change { views.add(name) } }

    package func enqueue(historyOf name: ByteString) { change { histories.add(name) } }

    /// Called when it no longer reads the session.
    package func forget(_ name: ByteString) {
        change {
            views.remove(name)
            histories.remove(name)
        }
    }

    private func change(_ change: () -> Void) {
        let before = views.bytes + histories.bytes
        change()
        encoder.pendingNamesDidGrow(by: views.bytes + histories.bytes - before)
        enqueue()
    }

    /// It has something pending, or room again.
    package func enqueue() { queue.add(self) }

    /// Called when it stops reading.
    package func end() {
        isOver = true
        queue.remove(self)
        encoder.pendingNamesDidGrow(by: -views.bytes - histories.bytes)
        (views, histories) = (NameQueue(), NameQueue())
    }

    /// A message to one reader can disconnect others, for the memory of all: those of them that are still to get it have ended.
    func send(_ text: String, about name: ByteString, under head: [ByteString]?) {
        if !isOver { encoder.send(text, about: name, under: head) }
    }

    /// Sends pending names, while there is room and budget. Returns the bytes.
    func send(_ budget: inout Int, withSessions: Bool) -> Int {
        let before = views.bytes + histories.bytes
        if withSessions {
            while budget > 0, encoder.hasRoom, let name = histories.popFirst() {
                budget -= Self.pieces(of: encoder.write(historyOf: name))
            }
            while budget > 0, encoder.hasRoom, let name = views.popFirst() {
                guard queue.mayWrite(viewOf: name) else {
                    views.add(name)
                    break
                }
                budget -= Self.pieces(of: encoder.write(viewOf: name))
            }
        }
        if budget > 0, encoder.hasMore, encoder.hasRoom { encoder.writeMore(&budget) }
        encoder.pendingNamesDidGrow(by: views.bytes + histories.bytes - before)
        return encoder.flush()
    }

    /// The session is about to go, and its entries with it.
    func sendHistory(of name: ByteString) {
        guard encoder.hasRoom else { return encoder.skip(historyOf: name) }
        change { histories.remove(name) }
        _ = encoder.write(historyOf: name)
    }

    /// A text is one piece of work, and so is each of its KiB.
    package static func pieces(of bytes: Int) -> Int { 1 + bytes / 1_024 }
}

// MARK: - Names of sessions that are still to be sent

/// Names, each once, in the order in which they were added.
struct NameQueue {
    /// The places of the names, with those of names that were taken out or removed, until they are dropped.
    private(set) var names: [ByteString] = []
    /// How many of them have been taken out.
    private var taken = 0
    private var known: Set<ByteString> = []
    /// Roughly its memory.
    private(set) var bytes = 0

    var count: Int { known.count }
    var isEmpty: Bool { known.isEmpty }

    private static func bytes(of name: ByteString) -> Int { 120 + name.count }

    mutating func add(_ name: ByteString) {
        guard known.insert(name).inserted else { return }
        names.append(name)
        bytes += Self.bytes(of: name)
        // A reader that does not read takes none out.
        if names.count > 2 * known.count + Self.maxUnused { dropUnused() }
    }

    /// Its place in the order stays, and is passed over.
    mutating func remove(_ name: ByteString) {
        if known.remove(name) != nil { bytes -= Self.bytes(of: name) }
    }

    mutating func popFirst() -> ByteString? {
        while taken < names.count {
            let name = names[taken]
            taken += 1
            if taken == names.count { (names, taken) = ([], 0) }
            guard known.contains(name) else { continue }
            remove(name)
            return name
        }
        return nil
    }

    /// Unused places that are kept, in addition to one for each name.
    private static let maxUnused = 64

    /// Keeps the first place of each name.
    private mutating func dropUnused() {
        names = names[taken...].filter { known.remove($0) != nil }
        (known, taken) = (Set(names), 0)
    }
}
