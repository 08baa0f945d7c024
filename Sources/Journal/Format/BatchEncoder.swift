// Writes batches. This runs on the loop's thread for every event, so it takes as few steps as possible.

import GameFlow
import Memory
import Posix
import Sessions
import Texts
import Timers

/// Appends entries to the open batch.
final class BatchEncoder {
    /// Names in one batch, after which it is closed; their numbers have 16 bits. A daemon uses less than a fifth of this.
    var mostNames: UInt16 = 30_000
    /// The largest size of an entry, without texts and timers.
    private static let entrySize = 80
    private static let timerSize = 11
    /// One more is when the session expires, and one that the daemon stopped its clock.
    private static let mostTimers = Int(UInt16.max) - 2
    /// Bytes of a text; longer ones are cut and end in an ellipsis. Its length must fit two bytes.
    private static let mostText = 8_000

    private let head: [UInt8]
    @exclusivity(unchecked) private var batch = BatchBytes()
    @exclusivity(unchecked) private var number: UInt64 = 1
    @exclusivity(unchecked) private var nextName: UInt16 = 0
    /// Values that later entries of this batch omit.
    @exclusivity(unchecked) private var written = WrittenValues()
    /// The last life given out, and the last one written into a batch.
    @exclusivity(unchecked) var lastLife: Life = 0
    @exclusivity(unchecked) private var toldLife: Life = 0
    /// The sessions that expire; nil if none do.
    @exclusivity(unchecked) var expiries: Expiries?
    @exclusivity(unchecked) private var kinds: [KindNumbers] = []
    /// Those of the entry being written, and its kind's number.
    @exclusivity(unchecked) private var numbers: Borrowed<KindNumbers>
    @exclusivity(unchecked) private var selected = 0
    /// Numbers of the timers' names, of the session being written: the first so many.
    @exclusivity(unchecked) private var timerNames: [UInt16] = []
    @exclusivity(unchecked) private var timerCount = 0

    /// Batches of a shared store count no times from a boot, which is one machine's own.
    init(boot: String = TurnClock.bootID) {
        head = Self.head(boot)
        kinds = [KindNumbers()]
        numbers = Borrowed(kinds[0])
        begin()
    }

    /// Whether the batch has no entries yet.
    var isEmpty: Bool { batch.count == head.count }
    var pendingBytes: Int { batch.count - head.count }
    var count: Int { batch.count }
    /// Whether it must be closed before more is written.
    @inline(__always)
    var isFull: Bool { nextName > mostNames }

    /// Appends the batch to others, with its length before it, and begins the next one in the same memory.
    func close(into batches: BatchBytes) {
        tellLife()
        batches.reserve(batch.count + 4)
        batches.put(UInt32(batch.count))
        batches.put(batch.bytes)
        batch.removeAll()
        begin()
    }

    private func tellLife() {
        guard lastLife != toldLife else { return }
        batch.reserve(Self.entrySize)
        batch.put(EntryKind.lastLife.rawValue)
        batch.put(lastLife)
        toldLife = lastLife
    }

    private func begin() {
        number += 1
        nextName = 0
        written = WrittenValues()
        batch.reserve(head.count)
        head.withUnsafeBytes { batch.put($0) }
    }

    /// The head of every batch: its version, and the boot that its times count from.
    private static func head(_ boot: String) -> [UInt8] {
        let head = BatchBytes()
        head.reserve(64)
        head.put(BatchDecoder.version)
        head.put(EntryKind.boot.rawValue)
        head.put(UInt16(boot.utf8.count))
        head.put(boot)
        return Array(head.bytes)
    }

    // MARK: Entries

    func line(
        _ occurrence: borrowing Occurrence, _ machine: AnyMachine, _ name: StoredName, _ life: Life, serial: UInt64,
        seq: UInt32,
        _ time: TurnTime
    ) {
        let kind = machine.kind
        select(kind)
        let from = state(occurrence.from, kind)
        let to = state(occurrence.to, kind)
        var event = event(occurrence.cause.event, kind)
        let timer = timer(occurrence.cause.timer, kind)
        let flow = flow(kind)
        let definition = definition(kind)
        var numbers = DetailNumbers()
        if let detail = occurrence.detail { numbers = nameParts(of: detail, kind, &event) }
        beginLine(machine.tag, name, life, time, occurrence.version)
        batch.put(event)
        batch.put(timer)
        batch.put(from)
        batch.put(to)
        batch.put(flow)
        batch.put(definition)
        batch.put(seq)
        batch.put(occurrence.cause.source.rawValue)
        guard let detail = occurrence.detail else {
            put(LineFlags(), serial)
            return put(name)
        }
        put(detail, numbers, name, serial)
    }

    @inline(__always)
    private func beginLine(_ slot: UInt32, _ name: StoredName, _ life: Life, _ time: TurnTime, _ version: UInt32) {
        batch.reserve(2 * Self.entrySize + name.bytes.count)
        put(time)
        batch.put(EntryKind.line.rawValue)
        batch.put(slot)
        batch.put(life)
        batch.put(version)
    }

    /// The turn's time, once for all its entries. The caller has reserved room.
    @inline(__always)
    private func put(_ time: TurnTime) {
        guard time.wallNanoseconds != written.time.wallNanoseconds || time.bootNanoseconds != written.time.bootNanoseconds
        else { return }
        batch.put(EntryKind.time.rawValue)
        batch.put(time.wallNanoseconds)
        batch.put(time.bootNanoseconds)
        written.time = time
    }

    /// A serial number is written where it does not follow that of the line before.
    @inline(__always)
    private func put(_ flags: LineFlags, _ serial: UInt64) {
        let follows = serial == written.serial &+ 1
        written.serial = serial
        batch.put(follows ? flags.rawValue : flags.union(.serial).rawValue)
        if !follows { batch.put(serial) }
    }

    /// That a session was dropped which has no machine.
    func line(_ last: LastLine, _ name: StoredName, _ time: TurnTime) {
        let (state, flow) = (number(of: last.state), number(of: last.flow))
        let definition = last.definition.map(number) ?? LineEntry.none
        let numbers = DetailNumbers(actor: last.who.map(number) ?? LineEntry.none)
        beginLine(last.slot, name, last.life, time, last.version)
        for number in [LineEntry.none, LineEntry.none, state, state, flow, definition] { batch.put(number) }
        batch.put(last.seq)
        batch.put(last.source.rawValue)
        put(Detail(.dropped, by: last.who), numbers, name, last.serial)
    }

    // MARK: Details

    /// Numbers of the names that a detail has.
    private struct DetailNumbers {
        var actor = LineEntry.none
        var code = LineEntry.none
    }

    /// Called before the entry, since a name's own entry must not come inside another. A refused event need not be one of the flow's.
    private func nameParts(of detail: Detail, _ kind: FlowKind, _ event: inout UInt16) -> DetailNumbers {
        var numbers = DetailNumbers()
        if let actor = detail.who { numbers.actor = number(of: actor) }
        guard let refused = detail.refused else { return numbers }
        numbers.code = number(of: refused.code.text)
        if event == LineEntry.none { event = number(of: refused.event) }
        if case .notValid(let accepted) = refused.reason { forEachBit(of: accepted) { _ = self.event($0, kind) } }
        return numbers
    }

    private func put(_ detail: Detail, _ numbers: DetailNumbers, _ name: StoredName, _ serial: UInt64) {
        var flags: LineFlags = detail.what == .taken ? [] : .what
        if detail.refused != nil { flags.insert(.refused) }
        if detail.payload != nil { flags.insert(.payload) }
        if detail.who != nil { flags.insert(.actor) }
        put(flags, serial)
        put(name)
        if detail.what != .taken { batch.put(detail.what.rawValue) }
        if let refused = detail.refused { put(refused, numbers.code) }
        if let payload = detail.payload {
            batch.reserve(payload.utf8.count + Self.entrySize)
            put(text: payload)
        }
        if detail.who != nil { batch.put(numbers.actor) }
    }

    private func put(_ refused: Refused, _ code: UInt16) {
        batch.put(code)
        switch refused.reason {
        case .words:
            batch.reserve(refused.sentence.utf8.count + Self.entrySize)
            batch.put(RefusedEntry.Reason.sentence.rawValue)
            put(text: refused.sentence)
        case .notValid(let accepted):
            batch.reserve(2 * accepted.nonzeroBitCount + Self.entrySize)
            batch.put(RefusedEntry.Reason.accepted.rawValue)
            batch.put(UInt8(truncatingIfNeeded: accepted.nonzeroBitCount))
            forEachBit(of: accepted) { place in
                batch.put(self.numbers.with { $0.known(.events, Int(place), in: number) } ?? LineEntry.none)
            }
        case .unknownEvent: batch.put(RefusedEntry.Reason.unknownEvent.rawValue)
        case .notAllowed: batch.put(RefusedEntry.Reason.notAllowed.rawValue)
        }
    }

    private func forEachBit(of mask: UInt64, _ body: (UInt16) -> Void) {
        var rest = mask
        while rest != 0 {
            body(UInt16(truncatingIfNeeded: rest.trailingZeroBitCount))
            rest &= rest &- 1
        }
    }

    /// A row that was edited by hand may have a longer name than any client can give, or an empty one. The caller has reserved room.
    @inline(__always)
    private func put(_ name: StoredName) {
        if name.isUUID {
            batch.put(BatchDecoder.uuid)
            batch.put(name.bytes)
        } else {
            let bytes = UnsafeRawBufferPointer(rebasing: name.bytes.prefix(Int(BatchDecoder.uuid) - 1))
            batch.put(UInt16(truncatingIfNeeded: bytes.count))
            batch.put(bytes)
        }
    }

    private func put(text: String) {
        let text = text.cut(to: Self.mostText)
        batch.put(UInt16(text.utf8.count))
        batch.put(text)
    }

    /// A session as it is now. `isOfLine` if its line was put just before, and has the same head.
    func image(_ machine: AnyMachine, _ name: StoredName, _ life: Life, seq: UInt32, _ time: TurnTime, isOfLine: Bool = false) {
        select(machine.kind)
        let head = isOfLine ? nil : (flow: flow(machine.kind), state: state(of: machine))
        let data = machine.carriesOnlyTimers ? nil : Self.data(of: machine)
        let (waiting, context) = (machine.savedEventsText, machine.contextText)
        nameTimers(of: machine)
        let marks = nameMarks(of: machine)
        let texts = Self.count(data) + Self.count(waiting) + Self.count(context)
        batch.reserve(2 * Self.entrySize + name.bytes.count + texts + (timerCount + marks.count) * Self.timerSize)
        put(time)
        let elapsed = min(time.wallNanoseconds, max(0, machine.timekeeper.now.nanoseconds(since: machine.since)))
        var flags: ImageFlags = machine.isFrozen ? .frozen : []
        if isOfLine { flags.insert(.ofLine) }
        if elapsed != 0 { flags.insert(.elapsed) }
        if data != nil { flags.insert(.data) }
        if waiting != nil { flags.insert(.waiting) }
        if context != nil { flags.insert(.context) }
        batch.put(EntryKind.image.rawValue)
        batch.put(flags.rawValue)
        if let head {
            batch.put(machine.tag)
            batch.put(life)
            batch.put(machine.version)
            batch.put(seq)
            batch.put(head.flow)
            batch.put(head.state)
            put(name)
        }
        if elapsed != 0 { batch.put(elapsed) }
        if let data { put(long: data) }
        putCount(timerCount + marks.count)
        // First, so that the last one is that of the timer that was made first.
        if let expiry = marks.expiry { putMark(expiry) }
        if let halt = marks.halt { putMark(halt) }
        putTimers(of: machine)
        if let waiting { put(long: waiting) }
        if let context { put(long: context) }
    }

    private static func count(_ text: String?) -> Int { text?.utf8.count ?? 0 }

    /// A text that is never cut. The caller has reserved room.
    private func put(long text: String) {
        batch.put(UInt32(text.utf8.count))
        batch.put(text)
    }

    func drop(_ session: UInt32, named name: StoredName) {
        batch.reserve(Self.entrySize + name.bytes.count)
        batch.put(EntryKind.drop.rawValue)
        batch.put(session)
        put(name)
    }

    /// Nil if the state cannot be encoded, which is a mistake in its flow; the rest of the session is still recorded.
    private static func data(of machine: AnyMachine) -> String? { try? machine.stateData().description }

    // MARK: Timers

    /// Called before the entry, since a name's own entry must not come inside another.
    private func nameTimers(of machine: AnyMachine) {
        timerCount = 0
        machine.forEachTimer { timer in
            guard timerCount < Self.mostTimers else { return }
            let name = self.timer(index(of: timer.plan, machine.kind), machine.kind, timer.plan)
            if timerCount < timerNames.count { timerNames[timerCount] = name } else { timerNames.append(name) }
            timerCount += 1
        }
    }

    /// In one byte if that is enough, as nearly always.
    private func putCount(_ count: Int) {
        guard count >= BatchDecoder.manyTimers else { return batch.put(UInt8(truncatingIfNeeded: count)) }
        batch.put(UInt8(truncatingIfNeeded: BatchDecoder.manyTimers))
        batch.put(UInt16(truncatingIfNeeded: count))
    }

    private func putTimers(of machine: AnyMachine) {
        var next = 0
        machine.forEachTimer { timer in
            guard next < timerCount else { return }
            let left = timer.left
            var flags: TimerFlags = timer.plan.kind == .pendulum ? .pendulum : []
            if timer.isPaused { flags.insert(.paused) }
            if left == nil { flags.insert(.finished) }
            if timer.hasMilestonesToCome { flags.insert(.milestones(due: timer.milestonesDue)) }
            batch.put(timerNames[next])
            batch.put(flags.rawValue)
            batch.put(left ?? 0)
            next += 1
        }
    }

    /// What is no timer of the flow's, and stands among them: what is left until the session expires, and that its clock was stopped.
    private typealias Mark = (name: UInt16, left: Int64)

    /// Called before the entry, like `nameTimers`.
    private func nameMarks(of machine: AnyMachine) -> (expiry: Mark?, halt: Mark?, count: Int) {
        let expiry = expiries?[machine.tag].map { expiry in
            (number(.own, .expiry) { expiry.rule.savedName }, expiry.leftNanoseconds)
        }
        guard machine.clock.isHalted else { return (expiry, nil, expiry == nil ? 0 : 1) }
        return (expiry, (number(.own, .halt) { ImageMarks.halted }, 0), expiry == nil ? 1 : 2)
    }

    private func putMark(_ mark: Mark) {
        batch.put(mark.name)
        batch.put(TimerFlags().rawValue)
        batch.put(mark.left)
    }

    private func index(of plan: TimerPlan, _ kind: FlowKind) -> UInt16 {
        let index = kind.timers.firstIndex { $0 === plan } ?? kind.timers.firstIndex { $0.name == plan.name }
        return index.map { UInt16(truncatingIfNeeded: $0) } ?? Cause.none
    }

    // MARK: Names

    func forgetNames(ofKind number: Int) {
        guard number < kinds.count else { return }
        kinds[number] = KindNumbers()
        numbers = Borrowed(kinds[selected])
    }

    /// From here on, numbers of names are those of this kind.
    @inline(__always)
    private func select(_ kind: FlowKind) {
        if kind.number != selected { select(kind.number) }
    }

    @inline(never)
    private func select(_ kind: Int) {
        while kinds.count <= kind { kinds.append(KindNumbers()) }
        (numbers, selected) = (Borrowed(kinds[kind]), kind)
    }

    /// The number of a name of the selected kind. `text` is its text, for the batch's first use of it.
    @inline(__always)
    private func number(_ list: KindNumbers.List, _ index: Int, _ text: () -> String) -> UInt16 {
        numbers.with { $0.known(list, index, in: number) } ?? learn(list, index, text())
    }

    @inline(__always)
    private func number(_ list: KindNumbers.List, _ own: KindNumbers.Own, _ text: () -> String) -> UInt16 {
        number(list, own.rawValue, text)
    }

    @inline(never)
    private func learn(_ list: KindNumbers.List, _ index: Int, _ text: String) -> UInt16 {
        let found = number(of: text)
        numbers.with { $0.learn(list, index, found, in: number) }
        return found
    }

    private func flow(_ kind: FlowKind) -> UInt16 { number(.own, .flow) { kind.name } }

    /// The definition that a kind was made from; none for a flow that is part of the program.
    private func definition(_ kind: FlowKind) -> UInt16 {
        guard let origin = kind.origin else { return LineEntry.none }
        return number(.own, .definition) { origin.fingerprint }
    }

    /// A name that has no index of its own is written each time.
    private func state(of machine: AnyMachine) -> UInt16 {
        machine.statePlace == FlowKind.unnumberedState ? number(of: machine.stateName) : state(machine.statePlace, machine.kind)
    }

    private func state(_ index: UInt32, _ kind: FlowKind) -> UInt16 {
        number(.states, Int(index)) { kind.stateName(at: index) }
    }

    private func event(_ index: UInt16, _ kind: FlowKind) -> UInt16 {
        guard index != Cause.none else { return LineEntry.none }
        return number(.events, Int(index)) { kind.eventName(at: index) ?? "" }
    }

    private func timer(_ index: UInt16, _ kind: FlowKind, _ plan: TimerPlan? = nil) -> UInt16 {
        guard index != Cause.none else { return plan.map { number(of: $0.name) } ?? LineEntry.none }
        return number(.timers, Int(index)) { kind.timerName(at: index) ?? "" }
    }

    private func number(of text: String) -> UInt16 {
        let text = text.cut(to: Self.mostText)
        batch.reserve(text.utf8.count + 8)
        batch.put(EntryKind.name.rawValue)
        batch.put(nextName)
        batch.put(UInt16(text.utf8.count))
        batch.put(text)
        nextName += 1
        return nextName - 1
    }
}
