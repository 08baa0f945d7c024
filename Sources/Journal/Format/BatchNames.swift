// Names within a batch: each is written out where the batch first needs it. So a batch can be read by itself, even after flows have changed.

import GameFlow
import Sessions

/// The lists of a flow's names that a batch refers to by index.
enum NameKind: UInt8 {
    case state, event, timer
    /// Names of the daemon's own: see `KindNumbers.Own`.
    case own
}

/// The names of one flow that the open batch has.
struct KindNumbers {
    enum Own: Int {
        case expiry, halt
    }

    /// By index and list: the batch's number in the upper bits, the name's in the lowest 16. So a new batch forgets all names without
    /// clearing the array.
    private var numbers: [UInt64] = []
    /// The batch that has the flow itself, and its number there.
    private var batch: UInt64 = 0
    private var flow: UInt16 = 0
    /// The first 64 names of each list that this batch has, a bit each.
    private var states: UInt64 = 0
    private var events: UInt64 = 0
    private var timers: UInt64 = 0

    /// The flow's number in the batch; nil if the batch does not have it yet.
    func flow(in batch: UInt64) -> UInt16? { self.batch == batch ? flow : nil }

    mutating func setFlow(_ number: UInt16, in batch: UInt64) {
        (self.batch, flow) = (batch, number)
        (states, events, timers) = (0, 0, 0)
    }

    /// The flow's number, if the batch has all names of the entry, and they are among the first of their lists.
    @inline(__always)
    func flow(ofKnown entry: PackedEntry, in batch: UInt64) -> UInt16? {
        guard self.batch == batch, Self.has(states, entry.from), Self.has(states, entry.to),
            entry.event == HistoryEntry.Cause.none || Self.has(events, entry.event),
            entry.timer == HistoryEntry.Cause.none || Self.has(timers, entry.timer)
        else { return nil }
        return flow
    }

    @inline(__always)
    private static func has(_ names: UInt64, _ index: UInt16) -> Bool { index < 64 && names >> UInt64(index) & 1 != 0 }

    @inline(__always)
    func known(_ list: NameKind, _ index: Int, in batch: UInt64) -> UInt16? {
        let position = Self.position(list, index)
        guard position < numbers.count, numbers[position] >> 16 == batch else { return nil }
        return UInt16(truncatingIfNeeded: numbers[position])
    }

    mutating func set(_ list: NameKind, _ index: Int, _ number: UInt16, in batch: UInt64) {
        let position = Self.position(list, index)
        while numbers.count <= position { numbers.append(0) }
        numbers[position] = batch << 16 | UInt64(number)
        guard index < 64 else { return }
        switch list {
        case .state: states |= 1 << UInt64(index)
        case .event: events |= 1 << UInt64(index)
        case .timer: timers |= 1 << UInt64(index)
        case .own: break
        }
    }

    private static func position(_ list: NameKind, _ index: Int) -> Int { index << 2 | Int(list.rawValue) }
}

/// The names of a batch that is read, by their numbers.
struct BatchNames {
    typealias Name = UnsafeRawBufferPointer

    private struct Flow {
        let name: UInt16
        let definition: UInt16
    }

    /// Numbers of the names that an entry refers to, or `none`.
    struct OfEntry {
        let flow: UInt16
        /// None for a flow that is part of the program.
        let definition: UInt16
        let from: UInt16
        let to: UInt16
        let event: UInt16
        let timer: UInt16
        let actor: UInt16
    }

    /// No name.
    static let none = UInt16.max
    /// `first` holds this many names of each list of a flow. Looking up a name there is fastest.
    private static let firstCount = 64
    private static let listCount = 4

    private var names: [Name] = []
    private var flows: [Flow] = []
    /// Numbers by flow, index and list, or `none`.
    private var first: [UInt16] = []
    private var others: [Int: UInt16] = [:]
    /// Numbers of names by the actor's number, or `none`.
    private var actors: [UInt16] = []

    subscript(number: UInt16) -> Name? { Int(number) < names.count ? names[Int(number)] : nil }

    mutating func add(_ name: Name) { names.append(name) }

    /// Adds a flow. Its name and definition are the last two names. An empty definition is stored as `Self.none`.
    mutating func addFlow() {
        let last = UInt16(clamping: names.count - 1)
        flows.append(Flow(name: last &- 1, definition: names[Int(last)].isEmpty ? Self.none : last))
        first += repeatElement(Self.none, count: Self.firstCount * Self.listCount)
    }

    /// The last name is this actor's.
    mutating func setActor(_ actor: ActorNumber) {
        let index = Int(actor.rawValue)
        if index >= actors.count { actors += repeatElement(Self.none, count: index + 1 - actors.count) }
        actors[index] = UInt16(clamping: names.count - 1)
    }

    /// The last name is this one of the flow.
    mutating func set(_ flow: UInt16, _ list: NameKind, _ index: UInt16) throws(DamagedBatch) {
        guard Int(flow) < flows.count else { throw Self.unknownFlow }
        let number = UInt16(clamping: names.count - 1)
        if index < Self.firstCount {
            first[Self.position(flow, list, index)] = number
        } else {
            others[Self.otherPosition(flow, list, index)] = number
        }
    }

    /// The number of the flow's name.
    func name(of flow: UInt16) throws(DamagedBatch) -> UInt16 {
        guard Int(flow) < flows.count else { throw Self.unknownFlow }
        return flows[Int(flow)].name
    }

    func names(of entry: PackedEntry, _ flow: UInt16) throws(DamagedBatch) -> OfEntry {
        guard Int(flow) < flows.count else { throw Self.unknownFlow }
        return OfEntry(
            flow: flows[Int(flow)].name, definition: flows[Int(flow)].definition, from: number(flow, .state, entry.from),
            to: number(flow, .state, entry.to),
            event: entry.event == HistoryEntry.Cause.none ? Self.none : number(flow, .event, entry.event),
            timer: entry.timer == HistoryEntry.Cause.none ? Self.none : number(flow, .timer, entry.timer),
            actor: number(of: entry.actor))
    }

    private func number(of actor: ActorNumber) -> UInt16 {
        let index = Int(actor.rawValue)
        return index < actors.count ? actors[index] : Self.none
    }

    /// `none` if the batch does not have it.
    func number(_ flow: UInt16, _ list: NameKind, _ index: UInt16) -> UInt16 {
        guard Int(flow) < flows.count else { return Self.none }
        return index < Self.firstCount
            ? first[Self.position(flow, list, index)] : others[Self.otherPosition(flow, list, index)] ?? Self.none
    }

    private static func position(_ flow: UInt16, _ list: NameKind, _ index: UInt16) -> Int {
        (Int(flow) * firstCount + Int(index)) * listCount + Int(list.rawValue)
    }

    private static func otherPosition(_ flow: UInt16, _ list: NameKind, _ index: UInt16) -> Int {
        (Int(flow) << 16 | Int(index)) << 2 | Int(list.rawValue)
    }

    private static var unknownFlow: DamagedBatch { DamagedBatch(description: "a batch refers to a flow that it does not name") }
}

/// A batch that has been read.
struct NamedBatch {
    let bytes: Batch
    let names: BatchNames
    /// The boot that its times count from, which may be an earlier one.
    let boot: UnsafeRawBufferPointer
}
