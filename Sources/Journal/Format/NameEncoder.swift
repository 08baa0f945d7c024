// Writes the names of the open batch: each where an entry first refers to it.

import GameFlow
import Sessions
import Texts

/// Names are numbered within a batch. It writes into the batch, before the entry that needs them: a name must not come inside another entry.
struct NameEncoder: ~Copyable {
    /// Names in one batch, after which it is closed; their numbers have 16 bits. A daemon uses less than a fifth of this.
    var maxNames: UInt16 = 30_000
    /// Bytes of a name; longer ones are cut and end in an ellipsis. Its length must fit two bytes.
    private static let maxBytes = 8_000
    /// The largest size of the bytes before a name.
    private static let headSize = 16

    private let batch: BatchBytes
    private let actors: ActorTable
    /// The actor named last in this batch, and the batch in which each was named last.
    private var lastActor = ActorNumber.none
    private var batchesOfActors: [UInt64] = []
    /// The batch's number.
    private var number: UInt64 = 1
    private var nextName: UInt16 = 0
    private var nextFlow: UInt16 = 0
    /// By the kind's number.
    private var kinds = [KindNumbers()]
    /// The number of the kind of the entry being written.
    private var selected = 0

    init(_ batch: BatchBytes, _ actors: ActorTable) { (self.batch, self.actors) = (batch, actors) }

    /// Whether the batch must be closed before more is written.
    var isFull: Bool { nextName > maxNames }

    /// A new batch, which has no names yet.
    mutating func begin() {
        number += 1
        lastActor = .none
        (nextName, nextFlow) = (0, 0)
    }

    /// The number is that of a new kind from here on.
    mutating func forget(kind: Int) {
        if kind < kinds.count { kinds[kind] = KindNumbers() }
    }

    // MARK: Entries

    /// The number of the entry's flow, once the batch has all names that the entry refers to.
    @inline(__always)
    mutating func flow(of encoded: EncodedEntry, _ kind: FlowKind) -> UInt16 {
        select(kind)
        if encoded.entry.parts.contains(.refusal) { nameAccepted(encoded, kind) }
        if encoded.entry.actor != lastActor { name(encoded.entry.actor) }
        return kinds[selected].flow(ofKnown: encoded.entry, in: number) ?? nameParts(of: encoded.entry, kind)
    }

    private mutating func nameParts(of entry: PackedEntry, _ kind: FlowKind) -> UInt16 {
        let flow = flow(kind)
        _ = state(UInt32(entry.from), kind)
        _ = state(UInt32(entry.to), kind)
        if entry.event != HistoryEntry.Cause.none { _ = event(entry.event, kind) }
        if entry.timer != HistoryEntry.Cause.none { _ = timer(entry.timer, kind) }
        return flow
    }

    /// The events that a refusal lists.
    private mutating func nameAccepted(_ encoded: EncodedEntry, _ kind: FlowKind) {
        guard let refusal = EntryTexts(encoded.texts, encoded.entry.parts)?.refusal else { return }
        _ = flow(kind)
        guard case .accepted(let accepted) = refusal.facts else { return }
        for index in 0..<64 where accepted >> UInt64(index) & 1 != 0 { _ = event(UInt16(index), kind) }
    }

    /// Writes the actor's name, unless the batch has it.
    mutating func name(_ actor: ActorNumber) {
        guard actor != lastActor, let text = actors.name(actor) else { return }
        lastActor = actor
        let index = Int(actor.rawValue)
        while batchesOfActors.count <= index { batchesOfActors.append(0) }
        guard batchesOfActors[index] != number else { return }
        batchesOfActors[index] = number
        batch.append(atMost: Self.headSize) { cursor in
            cursor.append(EntryKind.actor.rawValue)
            cursor.append(actor.rawValue)
        }
        append(text)
    }

    // MARK: Flows

    /// The number of the kind's flow. From here on, other numbers are of its names.
    @inline(__always)
    mutating func flow(_ kind: FlowKind) -> UInt16 {
        select(kind)
        return kinds[selected].flow(in: number) ?? defineFlow(kind)
    }

    private mutating func select(_ kind: FlowKind) {
        selected = kind.number
        while kinds.count <= selected { kinds.append(KindNumbers()) }
    }

    private mutating func defineFlow(_ kind: FlowKind) -> UInt16 {
        let found = write(flow: kind.name, kind.origin?.fingerprint)
        kinds[selected].setFlow(found, in: number)
        return found
    }

    /// The number of a flow of one state, for a session that has no machine.
    mutating func flow(_ name: String, _ definition: String?, state: String) -> UInt16 {
        let flow = write(flow: name, definition)
        _ = write(state, of: flow, .state, 0)
        return flow
    }

    // MARK: Names

    /// A state name without an index is written each time.
    mutating func state(of machine: AnyMachine) -> UInt16 {
        machine.stateIndex == FlowKind.unnumberedState ? write(machine.stateName) : state(machine.stateIndex, machine.kind)
    }

    mutating func timer(_ plan: TimerPlan, _ kind: FlowKind) -> UInt16 {
        let index = kind.timers.firstIndex { $0 === plan } ?? kind.timers.firstIndex { $0.name == plan.name }
        return index.map { timer(UInt16(truncatingIfNeeded: $0), kind) } ?? write(plan.name)
    }

    mutating func number(_ own: KindNumbers.Own, _ text: () -> String) -> UInt16 { number(.own, own.rawValue, text) }

    private mutating func state(_ index: UInt32, _ kind: FlowKind) -> UInt16 {
        number(.state, Int(index)) { kind.stateName(at: index) }
    }

    private mutating func event(_ index: UInt16, _ kind: FlowKind) -> UInt16 {
        number(.event, Int(index)) { kind.eventName(at: index) ?? "" }
    }

    private mutating func timer(_ index: UInt16, _ kind: FlowKind) -> UInt16 {
        number(.timer, Int(index)) { kind.timerName(at: index) ?? "" }
    }

    /// The number of a name of the selected kind. The batch has the kind's flow. `text` is its text, for the batch's first use of it.
    private mutating func number(_ list: NameKind, _ index: Int, _ text: () -> String) -> UInt16 {
        kinds[selected].known(list, index, in: number) ?? define(list, index, text())
    }

    private mutating func define(_ list: NameKind, _ index: Int, _ text: String) -> UInt16 {
        let flow = kinds[selected].flow(in: number) ?? 0
        let found = write(text, of: flow, list, UInt16(truncatingIfNeeded: index))
        kinds[selected].set(list, index, found, in: number)
        return found
    }

    // MARK: Writing

    /// A flow, and the definition that it was made from; nil for one that is part of the program.
    mutating func write(flow name: String, _ definition: String?) -> UInt16 {
        batch.append(atMost: Self.headSize) { $0.append(EntryKind.flow.rawValue) }
        append(name)
        append(definition ?? "")
        nextFlow += 1
        return nextFlow - 1
    }

    /// A name of a flow's list.
    private mutating func write(_ name: String, of flow: UInt16, _ list: NameKind, _ index: UInt16) -> UInt16 {
        batch.append(atMost: Self.headSize) { cursor in
            cursor.append(EntryKind.flowName.rawValue)
            cursor.append(flow)
            cursor.append(list.rawValue)
            cursor.append(index)
        }
        return append(name)
    }

    /// A name of no list.
    mutating func write(_ name: String) -> UInt16 {
        batch.append(atMost: Self.headSize) { $0.append(EntryKind.name.rawValue) }
        return append(name)
    }

    @discardableResult
    private mutating func append(_ name: String) -> UInt16 {
        var text = name.utf8.count > Self.maxBytes ? name.cut(to: Self.maxBytes) : name
        text.withUTF8 { bytes in
            batch.append(atMost: bytes.count + 2) { cursor in
                cursor.append(UInt16(truncatingIfNeeded: bytes.count))
                cursor.append(UnsafeRawBufferPointer(bytes))
            }
        }
        nextName += 1
        return nextName - 1
    }
}
