// The thread that reads messages for this node's shards, and notifies other nodes of messages that its sessions sent.

import Dispatch
import EventLoop
import Store
import Synchronization

final class MailThread: PostOffice {
    /// Writes the crash note, if a trap left one.
    typealias CrashNoteWriter = @Sendable (any StoreMessages) throws(StoreError) -> Void

    enum Event: Sendable {
        /// How many messages wait, by shard.
        case counts([Int: Int])
        /// There are messages for these shards.
        case arrived(Set<Int>)
        case read(Shard, [WaitingMessage])
    }

    private struct Inbox {
        /// Shards to read messages of, and the messages to leave out.
        var requests: [(shard: Shard, known: [Int64])] = []
        var posted: Set<Int> = []
        var events: [Event] = []
        var writeCrashNote: CrashNoteWriter?
        var isClosing = false
    }

    /// Messages of one shard that are read at once, at most.
    static let maxAtOnce = 100
    private static let pollNanoseconds: Int64 = 1_000_000_000
    private static let retryMilliseconds: Int32 = 200

    private let store: any StoreSharing
    private let onHeard: @Sendable () -> Void
    let waker: Waker
    private let inbox = Mutex(Inbox())
    private let lastFailure = Mutex<String?>(nil)
    private let queue = DispatchQueue(label: "gamed.mail", qos: .userInitiated)

    /// `onHeard` is called on the thread when there is something to take.
    init(_ store: any StoreSharing, onHeard: @escaping @Sendable () -> Void) throws(LoopFailure) {
        (self.store, self.onHeard) = (store, onHeard)
        waker = try Waker()
        queue.async { self.run() }
    }

    // MARK: For the loop

    /// Why nothing can be read at the moment.
    var failure: String? { lastFailure.withLock { $0 } }

    func read(_ shard: Shard, without known: [Int64]) {
        inbox.withLock { $0.requests.append((shard, known)) }
        waker.wake()
    }

    /// Sets the writer of the crash note. It is called whenever the thread is woken, until it returns.
    func install(_ writeCrashNote: @escaping CrashNoteWriter) { inbox.withLock { $0.writeCrashNote = writeCrashNote } }

    func drainEvents() -> [Event] { inbox.withLock { exchange(&$0.events, with: []) } }

    /// Begins to end the thread. If it waits for the store, it ends once the store's connections are cancelled.
    func close() {
        inbox.withLock { $0.isClosing = true }
        waker.wake()
    }

    func waitForEnd() { queue.sync {} }

    // MARK: For the thread that commits

    func posted(to shards: Set<Int>) {
        inbox.withLock { $0.posted.formUnion(shards) }
        waker.wake()
    }

    // MARK: On the queue

    private var isClosing: Bool { inbox.withLock { $0.isClosing } }

    private func run() {
        while !isClosing {
            do throws(StoreError) {
                let mail = try store.openMessages()
                defer { mail.close() }
                lastFailure.withLock { $0 = nil }
                try work(mail)
            } catch {
                lastFailure.withLock { $0 = error.description }
                if !isClosing { waker.wait(atMost: Self.retryMilliseconds) }
            }
        }
    }

    /// Works on one connection, until it fails or the thread ends. Polling finds messages after a missed notification.
    private func work(_ mail: any StoreMessages) throws(StoreError) {
        var nextPoll = Worker.now()
        while !isClosing {
            try inbox.withLock({ $0.writeCrashNote })?(mail)
            let posted = inbox.withLock { exchange(&$0.posted, with: []) }
            if !posted.isEmpty { try mail.announceMessages(for: posted) }
            while let (shard, known) = inbox.withLock({ $0.requests.first }) {
                let messages = try mail.read(shard.number, without: known, atMost: Self.maxAtOnce)
                _ = inbox.withLock { $0.requests.removeFirst() }
                deliver(.read(shard, messages))
            }
            if Worker.now() >= nextPoll {
                deliver(.counts(try mail.counts()))
                nextPoll = Worker.now() + Self.pollNanoseconds
            }
            let left = max(0, (nextPoll - Worker.now()) / 1_000_000 + 1)
            let shards = try mail.waitForMessages(orUntil: waker.descriptor, atMost: Int32(clamping: left))
            waker.clear()
            if !shards.isEmpty { deliver(.arrived(shards)) }
        }
    }

    private func deliver(_ event: Event) {
        inbox.withLock { $0.events.append(event) }
        onHeard()
    }
}
