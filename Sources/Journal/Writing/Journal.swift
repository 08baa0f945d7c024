// The loop's side of the journal: each shard's changes go into a separate batch, and all batches of a turn into one commit. `docs/JOURNAL.md` has the
// promises.

import Cluster
import GameFlow
import Memory
import Posix
import Sessions
import Store

package final class Journal: SessionRecorder {
    /// With `everysec`, changes are handed over at this size, or at an age.
    private static let largeTurn = 128 << 10
    /// Handed over at this size even while commits are in flight: a commit has about as much.
    private static let maxBytes = 1 << 20

    package let durability: Durability
    let writer: LogWriter
    let map: ShardMap
    private let clock: StoreClock
    private let actors: ActorTable
    /// By number; nil for a shard of another owner.
    private(set) var drafts: [ShardDraft?]
    /// The same, for the path of every event.
    @exclusivity(unchecked) private var uncounted: [Borrowed<ShardDraft>?] = []
    @exclusivity(unchecked) private var open = OpenTurn()
    /// Bytes of the last turn handed over.
    private var lastBytes = 0
    /// Whether the open turn has changed a shard that was disowned before its end.
    private var hasLost = false
    @exclusivity(unchecked) private var slots = ShardSlots()
    /// The number of the last turn handed over, of one or several of the loop's.
    private(set) var handedOver: UInt64 = 0
    /// The last life given out.
    package var lastLife: Life = 0
    /// Changes since the start.
    var recorded: Int { open.recorded }
    package var expiries: Expiries? { didSet { for draft in drafts { draft?.encoder.expiries = expiries } } }

    /// Changes that have not been handed over yet.
    private struct OpenTurn {
        var touched: [ShardDraft] = []
        /// Its closed batches, and their shards.
        var closed = BatchBytes()
        var parts: [Turn.Part] = []
        /// The time of the loop's turn, once it is known.
        var time: TurnTime?
        /// When the oldest change was made, on the boot clock.
        var begun: Int64?
        var bytes = 0
        /// With `everysec`, changes are handed over at this age.
        var maxAge: Int64 = 50_000_000
        /// Entries since the start.
        var recorded = 0
    }

    init(
        _ writer: LogWriter, _ durability: Durability, _ map: ShardMap, _ clock: StoreClock, _ actors: ActorTable
    ) {
        self.writer = writer
        self.durability = durability
        self.map = map
        self.clock = clock
        self.actors = actors
        drafts = Array(repeating: nil, count: map.count)
        uncounted = Array(repeating: nil, count: map.count)
    }

    // MARK: Shards

    /// From now on changes in this shard are recorded.
    func own(_ shard: Shard, after lastLogged: Int64) {
        let draft = ShardDraft(shard, boot: clock.bootID, actors: actors)
        draft.encoder.expiries = expiries
        set(draft, at: shard.number)
        writer.own(shard, after: lastLogged)
    }

    /// Stops recording changes of the shard. This turn's changes to it are lost, and the turn reports that.
    func disown(_ number: Int) {
        guard let draft = drafts[number] else { return }
        set(nil, at: number)
        if draft.isTouched {
            hasLost = true
            writer.drop(number)
        }
        open.touched.removeAll { $0 === draft }
        open.parts.removeAll { $0.shard == draft.shard }
    }

    private func set(_ draft: ShardDraft?, at number: Int) {
        drafts[number] = draft
        uncounted[number] = draft.map { Borrowed($0) }
    }

    /// The slots that may have sessions of this shard; nil where there is only one.
    func slots(of number: Int) -> [UInt32]? { map.count > 1 ? slots.slots(of: number) : nil }

    /// A session of this shard has been restored in this slot.
    func assign(_ slot: UInt32, to number: Int) { if map.count > 1 { slots.set(slot, number) } }

    // MARK: Recording

    /// Records a history entry and the session's current state. A refused event changes nothing, unless a timer fired for it. A dropped session has no
    /// image after this.
    package func record(
        _ encoded: EncodedEntry, of machine: AnyMachine, named name: StoredName, life: Life, number: EntryNumber
    ) {
        let (time, entry) = (now(), encoded.entry)
        record(in: name, at: machine.tag) { encoder in
            encoder.line(encoded, machine.kind, name, life, number, time)
            guard entry.kind != .dropped, entry.kind != .refused || entry.source == .timer else { return }
            let isOfLine =
                entry.version == machine.version && UInt32(entry.to) == machine.stateIndex
                && machine.stateIndex != FlowKind.unnumberedState
            encoder.image(machine, name, life, seq: number.seq, time, isOfLine: isOfLine)
        }
    }

    package func recordImage(of machine: AnyMachine, named name: StoredName, life: Life, seq: UInt32) {
        let time = now()
        record(in: name, at: machine.tag) { $0.image(machine, name, life, seq: seq, time) }
    }

    /// Records the image that its row has, with these timers.
    func recordImage(of row: SetAsideRow, _ timers: [TimerImage]) {
        row.withRow { recordImage(of: $0, timers, named: row.name) }
    }

    func recordImage(of row: SessionRow, _ timers: [TimerImage], named name: ByteString) {
        name.withStored { name in record(in: name) { $0.image(of: row, timers, named: name) } }
    }

    package func recordDrop(_ last: DropEntry) {
        let time = now()
        last.name.withStored { name in record(in: name) { $0.line(last, name, time) } }
    }

    package func drop(_ slot: UInt32, named name: StoredName) {
        record(in: name) { $0.drop(slot, named: name) }
    }

    /// Records that a session that was set aside is gone.
    package func drop(_ session: SetAsideSession) {
        session.name.withStored { drop(UInt32(bitPattern: Int32(truncatingIfNeeded: session.id)), named: $0) }
    }

    package func forgetNames(ofKind number: Int) {
        for draft in drafts { draft?.encoder.forgetNames(ofKind: number) }
    }

    /// A session of this name has sent a message, which goes out with the sender's changes.
    func post(_ message: PostedMessage, from sender: String) {
        ByteString(sender).withStored { draft(for: $0) }?.with { $0.posted.append(message) }
    }

    /// This message to a session of the shard is applied, and is deleted with the changes that it has made.
    func markApplied(_ message: MessageID, in number: Int) {
        guard let draft = drafts[number] else { return }
        if !draft.isTouched { touch(draft) }
        draft.taken.append(message)
        open.recorded &+= 1
    }

    @inline(__always)
    private func record(in name: StoredName, at slot: UInt32? = nil, _ body: (inout BatchEncoder) -> Void) {
        draft(for: name, at: slot)?.with { draft in
            let before = draft.encoder.count
            body(&draft.encoder)
            open.bytes &+= draft.encoder.count &- before
        }
    }

    /// The open batch of the session's shard; nil where the shard has another owner now.
    @inline(__always)
    private func draft(for name: StoredName, at slot: UInt32? = nil) -> Borrowed<ShardDraft>? {
        let shard = map.count == 1 ? 0 : name.withText { map.shard(of: $0) }
        guard let draft = uncounted[shard] else { return nil }
        if let slot, map.count > 1 { slots.set(slot, shard) }
        draft.with { draft in
            if !draft.isTouched { touch(draft) }
            if draft.encoder.isFull { close(draft) }
        }
        open.recorded &+= 1
        return draft
    }

    private func touch(_ draft: ShardDraft) {
        draft.isTouched = true
        open.touched.append(draft)
        if open.begun == nil { open.begun = TurnClock.bootNanoseconds }
    }

    /// This turn's time, read at its first change.
    private func now() -> TurnTime {
        if let time = open.time { return time }
        let now = clock.latest()
        open.time = now
        return now
    }

    // MARK: Turns

    /// Hands over this turn's changes, or keeps them to go with later ones. True if they must be handed over soon.
    func endTurn(_ report: WriterReport) -> Bool {
        open.time = nil
        guard let begun = open.begun else { return false }
        guard durability == .always || open.bytes >= Self.largeTurn || isOld(begun) else { return true }
        if durability == .everysec || isAwaitedByWriter(report) || open.bytes >= Self.maxBytes { submitTurn() }
        return false
    }

    /// While commits are in flight, changes grow into one batch of each shard, which costs far less than a batch of each turn. Once a commit
    /// has happened, the loop is woken.
    private func isAwaitedByWriter(_ report: WriterReport) -> Bool {
        switch handedOver - report.safeThrough {
        case 0: true
        case 1: open.bytes >= lastBytes
        default: false
        }
    }

    private func isOld(_ begun: Int64) -> Bool { TurnClock.bootNanoseconds - begun >= open.maxAge }

    /// From now on each turn's changes are handed over at its end: the time to commit them is short.
    func prepareToLeave() {
        open.maxAge = 0
        writer.prepareToLeave()
    }

    /// Hands everything encoded so far to the writer.
    func submitTurn(ofTimersAlone hasOnlyTimers: Bool = false) {
        guard open.begun != nil else { return }
        for draft in open.touched {
            close(draft)
            draft.isTouched = false
        }
        handedOver += 1
        let (batches, parts) = (open.closed, open.parts)
        writer.enqueue(
            Turn(number: handedOver, batches: batches, parts: parts, isWhole: !hasLost, hasOnlyTimers: hasOnlyTimers))
        (lastBytes, open.bytes) = (open.bytes, 0)
        open.closed = BatchBytes(capacity: max(4_096, min(batches.count + batches.count / 4, Self.maxBytes)))
        open.parts = []
        open.touched.removeAll(keepingCapacity: true)
        (open.begun, hasLost) = (nil, false)
    }

    /// The same once there is as much as a commit has. Called in work that records many sessions at once.
    func submitLargeTurn(ofTimersAlone hasOnlyTimers: Bool = false) {
        if open.bytes >= Self.maxBytes { submitTurn(ofTimersAlone: hasOnlyTimers) }
    }

    private func close(_ draft: ShardDraft) {
        let start = open.closed.count
        draft.encoder.lastLife = lastLife
        draft.encoder.close(into: open.closed)
        open.parts.append(
            Turn.Part(
                shard: draft.shard, range: start..<open.closed.count, posted: exchange(&draft.posted, with: []),
                taken: exchange(&draft.taken, with: [])))
    }

    /// The turn that the latest change belongs to, which may be open yet.
    var lastTurn: UInt64 { open.begun == nil ? handedOver : handedOver + 1 }

    /// The turn that must be safe before output may leave the process; nil if nothing has to wait.
    func awaited(_ report: WriterReport) -> UInt64? {
        durability == .always && report.safeThrough < lastTurn ? lastTurn : nil
    }

    package var backlogBytes: Int { writer.backlogBytes + open.bytes }
}
