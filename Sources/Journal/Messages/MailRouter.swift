// The loop's side of messages between shards: posts messages from this node's sessions, and applies messages to them.

import Cluster
import EventLoop
import GameFlow
import Logging
import Sessions
import Store

final class MailRouter: MailTransport {
    /// Maximum of messages that may wait for a shard before more are refused. They are counted once a second.
    private static let maxWaiting = 10_000
    private static let maxPerTurn = 64
    /// No message is applied while this much is not committed.
    private static let maxBacklogBytes = 8 << 20

    private let sessions: Sessions
    private let journal: Journal
    private let recent: RecentRows
    private let loop: Loop
    private let log: Log
    let thread: MailThread
    private var watch: WakerWatch?
    private var boxes: [Int: Mailbox] = [:]
    /// Shards with messages that can be carried out, each once.
    private var ready: [Int] = []
    private var isScheduled = false
    /// Shards for which too many messages wait.
    private var crowded: Set<Int> = []
    /// The message that is being carried out, and its shard.
    private(set) var underWay: (shard: Int, id: MessageID, message: Message)?

    init(
        _ store: any StoreSharing, of sessions: Sessions, _ journal: Journal, _ recent: RecentRows, on loop: Loop, log: Log
    ) throws {
        (self.sessions, self.journal, self.recent, self.loop, self.log) = (sessions, journal, recent, loop, log)
        let waker = try Waker()
        thread = try MailThread(store) { waker.wake() }
        watch = try WakerWatch(waker, on: loop) { [unowned self] in listen() }
        journal.writer.postOffice = thread
        sessions.mail = self
    }

    // MARK: Shards

    /// The shard's sessions are here.
    func open(_ shard: Shard) {
        boxes[shard.number] = Mailbox(shard)
        read(shard.number)
    }

    /// The shard's sessions are no longer here.
    func close(_ number: Int) {
        boxes[number] = nil
        ready.removeAll { $0 == number }
    }

    // MARK: Posting

    func isRemote(_ name: String, from other: String) -> Bool { journal.map.shard(of: name) != journal.map.shard(of: other) }

    func refusal(to name: String) -> SessionError? {
        guard crowded.contains(journal.map.shard(of: name)) else { return nil }
        return SessionError(
            .limit,
            "more than \(Self.maxWaiting) messages are queued for the shard of '\(name.shortened)'; try again later"
        )
    }

    func post(_ message: Message) {
        journal.post(PostedMessage(to: journal.map.shard(of: message.receiver), message.bytes), from: message.sender)
    }

    // MARK: Reading

    private func listen() {
        for event in thread.drainEvents() {
            switch event {
            case .counts(let counts): applyCounts(counts)
            case .arrived(let shards): for shard in shards { poll(shard) }
            case .read(let shard, let messages): receive(messages, for: shard)
            }
        }
    }

    private func applyCounts(_ counts: [Int: Int]) {
        crowded = Set(counts.filter { $0.value > Self.maxWaiting }.keys)
        for shard in counts.keys { poll(shard) }
        schedule()
    }

    private func poll(_ number: Int) {
        boxes[number]?.expectMore()
        read(number)
    }

    private func read(_ number: Int) {
        guard let known = boxes[number]?.beginReading(committedThrough: journal.writer.report.safeThrough),
            let shard = boxes[number]?.shard
        else { return }
        thread.read(shard, without: known)
    }

    /// Messages read for a shard that has left this node belong to its new owner.
    private func receive(_ messages: [WaitingMessage], for shard: Shard) {
        guard boxes[shard.number]?.shard == shard else { return }
        boxes[shard.number]?.endReading(messages, isAll: !messages.mayLackSome(of: MailThread.maxAtOnce))
        guard !messages.isEmpty else { return read(shard.number) }
        ready.append(shard.number)
        schedule()
    }

    // MARK: Carrying out

    /// Some of each turn, as long as timers may fire as well.
    func schedule() {
        guard !isScheduled, !ready.isEmpty else { return }
        isScheduled = true
        loop.schedule { [weak self] in
            self?.isScheduled = false
            self?.applySome()
        }
    }

    private func applySome() {
        guard !loop.areTimersSuspended, journal.backlogBytes < Self.maxBacklogBytes else { return }
        var done = 0
        while done < Self.maxPerTurn, !loop.isBudgetExhausted, let number = ready.first {
            applyNext(of: number)
            done += 1
            loop.charge(pieces: 1)
        }
        schedule()
    }

    /// Shards take turns.
    private func applyNext(of number: Int) {
        ready.removeFirst()
        guard let (message, isRepeated) = boxes[number]?.dequeue(in: journal.handedOver + 1) else { return read(number) }
        if isRepeated || recent.hasApplied(message.id.key, in: number) {
            journal.markApplied(message.id, in: number)
        } else {
            apply(message, of: number)
        }
        guard let box = boxes[number] else { return }
        if box.isEmpty { read(number) } else { ready.append(number) }
    }

    private func apply(_ message: WaitingMessage, of shard: Int) {
        do throws(DamagedMessage) {
            let content = try Message(bytes: message.body)
            journal.markApplied(message.id, in: shard)
            apply(content, message.id, of: shard)
        } catch {
            reject(message.id, of: shard, error)
        }
        Failpoint.hit("after-message")
    }

    /// Deletes a damaged message. A message of a newer version stays for a newer node; it is logged once for as long as the shard is here.
    private func reject(_ id: MessageID, of shard: Int, _ damage: DamagedMessage) {
        guard damage.isNewer else {
            journal.markApplied(id, in: shard)
            return log.error("deleted an unreadable message to a session of shard \(shard): \(damage)")
        }
        guard boxes[shard]?.keep(id) == true else { return }
        log.error(
            "a message to a session of shard \(shard) waits until a newer gamed owns the shard: \(damage); others are not logged"
        )
    }

    /// The mark covers code without a more precise one: there may be no session yet to blame for a trap.
    private func apply(_ message: Message, _ id: MessageID, of shard: Int) {
        underWay = (shard, id, message)
        let outer = sessions.flightRecorder?.enter(FlightMark(.work, of: FlightMark.noSlot))
        sessions.apply(message)
        if let outer { sessions.flightRecorder?.leave(outer) }
        underWay = nil
    }
}

// MARK: - The messages for one shard of this node

/// Each message is handed out once, for as long as the shard is here.
struct Mailbox {
    let shard: Shard
    /// Read, and not carried out.
    private var waiting: ArraySlice<WaitingMessage> = []
    /// Messages that were handed out, by key, each with the turn that deletes it with its commit.
    private var taken: [Int64: (number: Int64, turn: UInt64)] = [:]
    /// Whether messages stay in the database, since this version cannot read them. Their turn is `Self.never`.
    private var hasKept = false
    private static let never = UInt64.max
    private var isReading = false
    /// Whether there may be more messages than the last reading returned.
    private var mayHaveMore = true

    init(_ shard: Shard) { self.shard = shard }

    var isEmpty: Bool { waiting.isEmpty }

    /// There are messages, or there may be.
    mutating func expectMore() { mayHaveMore = true }

    /// Returns the numbers to leave out of the next reading, or nil if nothing is to be read now. Forgets messages that a reading started now cannot
    /// find: their deletion is committed.
    mutating func beginReading(committedThrough turn: UInt64) -> [Int64]? {
        guard mayHaveMore, !isReading, waiting.isEmpty else { return nil }
        (isReading, mayHaveMore) = (true, false)
        taken = taken.filter { $0.value.turn > turn }
        return taken.values.map(\.number)
    }

    mutating func endReading(_ messages: [WaitingMessage], isAll: Bool) {
        isReading = false
        waiting += messages
        if !isAll { mayHaveMore = true }
    }

    /// The next message, which is deleted with this turn. `isRepeated` if this mailbox has handed it out before: the database lost it, and its
    /// sender's node wrote it again.
    mutating func dequeue(in turn: UInt64) -> (message: WaitingMessage, isRepeated: Bool)? {
        guard let message = waiting.popFirst() else { return nil }
        let before = taken.updateValue((message.id.number, turn), forKey: message.id.key)
        return (message, before.map { $0.turn != Self.never } ?? false)
    }

    /// Leaves a message that was handed out in the database. Returns whether it is the first.
    mutating func keep(_ id: MessageID) -> Bool {
        taken[id.key] = (id.number, Self.never)
        defer { hasKept = true }
        return !hasKept
    }
}
