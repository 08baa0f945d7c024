// The ring of history, compared with unlimited lists.

import BuiltInFlows
import GameFlow
import Seeds
import Testing
import Timers
@testable import Sessions

extension History {
    /// A session's newest entries, the newest first.
    fileprivate func newest(_ count: Int, of session: UInt32, from latest: UInt64, _ flow: FlowKind) -> [HistoryEntry] {
        newest(count, of: Chain(slot: session, latest: latest), flow).map(\.entry)
    }
}

@Suite struct `The ring of history` {
    private let actors = ActorTable()
    private static let sessions = 40
    private static let lines = 8_192
    private static let perSession = 30

    private let kind = TypedFlowKind<Turns>()

    /// Of seven in a row, a timer makes the first change of state, a client the next two, and the others stay in their state.
    private func entry(_ version: UInt32) -> HistoryEntry {
        let cause = version % 7 == 0 ? HistoryEntry.Cause(.timer, timer: 0) : HistoryEntry.Cause(.network)
        return HistoryEntry(from: 0, to: version % 7 < 3 ? 1 : 0, cause: cause, detail: nil, at: .zero, version: version)
    }

    @Test func `The ring keeps each session's newest entries and drops overwritten ones`() {
        var random = SeededGenerator.announced("the ring of history", seed: 9)
        var ring = History(History.Limits(lines: Self.lines, perSession: Self.perSession))
        var latest = [UInt64](repeating: PackedHistoryEntry.none, count: Self.sessions)
        var model: [[(serial: UInt64, version: UInt32)]] = Array(repeating: [], count: Self.sessions)
        for step in 0..<24_760 {
            // Most sessions are busy. Session 0 appends just after its previous entry was overwritten.
            let session = step % 8_250 == 0 ? 0 : 1 + Int.random(in: 0..<Self.sessions - 1, using: &random)
            model[session].append((ring.next, UInt32(step)))
            latest[session] = ring.append(entry(UInt32(step)), of: UInt32(session), after: latest[session])
        }
        for session in 0..<Self.sessions {
            let kept = model[session].reversed().prefix { ring.next - $0.serial <= UInt64(Self.lines) }.prefix(Self.perSession)
            #expect(ring.newest(.max, of: UInt32(session), from: latest[session], kind).map(\.version) == kept.map(\.version))
            #expect(
                ring.newest(3, of: UInt32(session), from: latest[session], kind).map(\.version) == kept.prefix(3).map(\.version)
            )
            let found = ring.latestTimerMove(of: .init(slot: UInt32(session), latest: latest[session]), kind)?.version
            let move = kept.map(\.version).first { $0 % 7 < 3 }
            #expect(found == move.flatMap { $0 % 7 == 0 ? $0 : nil })
        }
    }

    @Test(arguments: [1, 3, 4_096, 5_000]) func `The ring keeps as many entries as its limit says`(lines: Int) {
        var ring = History(History.Limits(lines: lines, perSession: 20_000))
        var latest = PackedHistoryEntry.none
        for version in 1...12_000 as ClosedRange<UInt32> {
            latest = ring.append(entry(version), of: 1, after: latest)
            let kept = ring.newest(3, of: 1, from: latest, kind).map(\.version)
            #expect(kept == (0..<UInt32(min(3, lines, Int(version)))).map { version - $0 })
        }
        let kept = ring.newest(.max, of: 1, from: latest, kind).map(\.version)
        #expect(kept == (0..<UInt32(lines)).map { 12_000 - $0 })
    }

    private func begun(by actor: String?, at milliseconds: Int = 0, payload: String? = nil) -> HistoryEntry {
        let actor = actor.map { actors.number(of: $0) } ?? .none
        return HistoryEntry(
            from: 0, to: 0, cause: HistoryEntry.Cause(.network, actor: actor),
            detail: HistoryEntry.Detail(.begun, payload: payload),
            at: Instant.zero.advanced(by: .milliseconds(milliseconds)), version: 0)
    }

    @Test func `Sessions created together share one entry, and each of them finds it`() {
        var ring = History(History.Limits(lines: Self.lines, perSession: Self.perSession))
        _ = ring.append(entry(1), of: 9_999, after: PackedHistoryEntry.none)
        let serials = (0..<5_000).map { ring.append(begun(by: "ann"), of: $0, after: PackedHistoryEntry.none) }
        #expect(Set(serials) == [1] && ring.next == 2)
        let moved = ring.append(entry(1), of: 4_000, after: serials[4_000])
        for slot in [UInt32(0), 2_500, 4_999] {
            let found = ring.newest(9, of: slot, from: 1, kind)
            #expect(found.map(\.kind) == [.begun] && actors.name(found[0].cause.actor) == "ann" && found[0].version == 0)
        }
        #expect(ring.newest(9, of: 4_000, from: moved, kind).map(\.kind) == [.taken, .begun])
        #expect(ring.newest(9, of: 5_000, from: 1, kind).isEmpty, "this session was not created with them")
    }

    @Test func `A session created with another actor, time or payload gets its own entry`() {
        var ring = History(History.Limits(lines: Self.lines, perSession: Self.perSession))
        let beginnings = [
            (begun(by: "ann"), UInt32(0)), (begun(by: "bob"), 1), (begun(by: "bob", at: 1), 2), (begun(by: "bob", at: 1), 7),
            (begun(by: "bob", at: 1, payload: "{}"), 8), (begun(by: "bob", at: 1), 9), (begun(by: nil, at: 1), 10),
        ]
        for (number, (one, slot)) in beginnings.enumerated() {
            #expect(ring.append(one, of: slot, after: PackedHistoryEntry.none) == UInt64(number))
            let found = ring.newest(9, of: slot, from: UInt64(number), kind)
            #expect(
                found.count == 1 && found[0].cause.actor == one.cause.actor && found[0].at == one.at
                    && found[0].payload == one.payload)
        }
    }
}

@Suite struct `Repeated history entries` {
    private let kind = TypedFlowKind<Game>()

    /// An entry to record, with the values that distinguish it.
    private enum Action: Hashable {
        case tick(timer: UInt16, payload: String?)
        case refusal(actor: UInt16, payload: String?)
        case move

        func entry(_ kind: FlowKind, at: Instant, version: UInt32) -> HistoryEntry {
            switch self {
            case .tick(let timer, let payload):
                HistoryEntry(
                    from: 1, to: 1, cause: HistoryEntry.Cause(.timer, event: 2, timer: timer),
                    detail: payload.map { HistoryEntry.Detail(.taken, payload: $0) }, at: at, version: version)
            case .refusal(let actor, let payload):
                HistoryEntry(
                    from: 1, to: 1, cause: HistoryEntry.Cause(.network, event: 4, actor: ActorNumber(rawValue: actor)),
                    detail: HistoryEntry.Detail(
                        refused: Refused(event: "chooseLevel", .notValidMask(accepted: 0b101)),
                        payload: payload),
                    at: at, version: version)
            case .move:
                HistoryEntry(from: 1, to: 2, cause: HistoryEntry.Cause(.ui, event: 1), detail: nil, at: at, version: version)
            }
        }

        static func random(_ random: inout SeededGenerator) -> Action {
            switch Int.random(in: 0..<20, using: &random) {
            case 0: .move
            case 1..<14:
                .tick(
                    timer: .random(in: 0..<3, using: &random),
                    payload: Int.random(in: 0..<5, using: &random) == 0 ? #"{"missed":1}"# : nil)
            default: .refusal(actor: .random(in: 0..<3, using: &random), payload: Bool.random(using: &random) ? "3" : nil)
            }
        }
    }

    private struct Line: Equatable {
        let action: Action
        let seq: UInt32
        let version: UInt32
        var times: UInt32 = 1
        var lastSeq: UInt32
        var lastVersion: UInt32
    }

    @Test func `An equal tick or refusal is counted in the earlier entry if only ticks and refusals lie between`() {
        var random = SeededGenerator.announced("entries that happen again", seed: 31)
        var ring = History(History.Limits(lines: 8_192, perSession: 10_000))
        var (latest, model) = ([UInt64](repeating: PackedHistoryEntry.none, count: 3), [[Line]](repeating: [], count: 3))
        var versions: [UInt32] = [0, 0, 0]
        for step in 1...6_000 {
            let (session, action) = (Int.random(in: 0..<3, using: &random), Action.random(&random))
            if case .refusal = action {} else { versions[session] += 1 }
            let (seq, at) = (UInt32(step), Instant(nanoseconds: Int64(step) * 1_000))
            let entry = action.entry(kind, at: at, version: versions[session])
            let mayRepeat = action != .move
            let run = model[session].lastIndex { $0.action == .move }.map { $0 + 1 } ?? 0
            let earlier = mayRepeat ? model[session].lastIndex { $0.action == action } : nil
            if let earlier, earlier >= run, model[session].count - earlier <= 16 {
                model[session][earlier].times += 1
                (model[session][earlier].lastSeq, model[session][earlier].lastVersion) = (seq, versions[session])
                let found = ring.repeat(entry, of: UInt32(session), seq: seq, after: latest[session])
                #expect(found?.repetition.times == model[session][earlier].times)
                #expect(found?.serial == UInt64(model[session][earlier].seq) * 10, "the number under which it was recorded")
            } else {
                if mayRepeat {
                    #expect(ring.repeat(entry, of: UInt32(session), seq: seq, after: latest[session]) == nil)
                }
                model[session].append(
                    Line(action: action, seq: seq, version: versions[session], lastSeq: seq, lastVersion: versions[session]))
                latest[session] = ring.append(
                    entry, of: UInt32(session), seq: seq, recorded: UInt64(seq) * 10, after: latest[session])
            }
        }
        #expect(ring.next < 2_500, "\(ring.next) lines of 6,000")
        for session in 0..<3 {
            let found = ring.newest(.max, of: .init(slot: UInt32(session), latest: latest[session]), kind)
            #expect(found.map(\.seq) == model[session].reversed().map(\.seq))
            #expect(found.map { $0.repetition?.times ?? 1 } == model[session].reversed().map(\.times))
            #expect(found.map(\.lastSeq) == model[session].reversed().map(\.lastSeq))
            #expect(
                found.map { $0.repetition?.lastVersion ?? $0.entry.version }
                    == model[session].reversed().map(\.lastVersion))
        }
    }

    @Test func `A repetition after a flow change, or of an entry that may be deleted, is a new entry`() {
        var ring = History()
        let tick = Action.tick(timer: 0, payload: nil).entry(kind, at: .zero, version: 1)
        let first = ring.append(tick, of: 1, seq: 1, recorded: 70, after: PackedHistoryEntry.none)
        #expect(ring.repeat(tick, of: 1, seq: 2, after: first, from: first + 1) == nil)
        #expect(ring.repeat(tick, of: 1, seq: 2, after: first, recordedFrom: 71) == nil)
        #expect(ring.repeat(tick, of: 1, seq: 2, after: first, from: first, recordedFrom: 70)?.repetition.times == 2)
    }

    @Test func `Counts of overwritten entries take no memory`() {
        var ring = History(History.Limits(lines: 4_096, perSession: 10))
        let empty = ring.footprint
        for number in 0..<100_000 as Range<UInt32> {
            let tick = Action.tick(timer: UInt16(number % 1_000), payload: nil).entry(kind, at: .zero, version: number)
            _ = ring.append(tick, of: number, seq: 1, after: PackedHistoryEntry.none)
        }
        #expect(ring.footprint <= empty + 8_192 * (48 + 40) + 4_096 * 40, "\(ring.footprint - empty) bytes")
    }
}

@Suite struct `The texts of history` {
    private let kind = TypedFlowKind<Game>()

    private func refused(_ facts: RefusalFacts, _ event: String = "chooseLevel") -> Refused { Refused(event: event, facts) }

    private func entry(_ refused: Refused?, payload: String? = nil, event: UInt16 = HistoryEntry.Cause.none) -> HistoryEntry {
        HistoryEntry(
            from: 0, to: 0, cause: HistoryEntry.Cause(.network, event: event),
            detail: HistoryEntry.Detail(refused == nil ? .taken : .refused, refused: refused, payload: payload),
            at: .zero,
            version: 7)
    }

    @Test func `Texts of history entries are read back unchanged`() {
        var ring = History()
        let notValid = refused(.notValidMask(accepted: 0b101))
        #expect(
            entry(notValid).refusal(in: kind)
                == "'chooseLevel' is not valid in 'introduction'; it accepts displayHelp, startPlaying")
        let cases = [
            entry(notValid), entry(notValid, payload: "3"), entry(notValid, event: 4),
            entry(refused(.unknownEvent, "café")), entry(refused(.notAllowed, "tick"), payload: ""),
            entry(refused(.notValid(accepted: ["displayHelp", "zürück"])), payload: "3"),
            entry(refused(.notValid(accepted: []))), entry(refused(.notValid(accepted: nil))),
            entry(refused(.message("ödd words"))), entry(nil, payload: #"{"a":1}"#), entry(refused(.vetoed(""))),
        ]
        for one in cases {
            let serial = ring.append(one, of: 3, after: PackedHistoryEntry.none)
            let found = ring.newest(9, of: 3, from: serial, kind)
            #expect(found.count == 1 && found[0].payload == one.payload && found[0].version == 7)
            #expect(found[0].refused?.facts == one.refused?.facts && found[0].refused?.code == one.refused?.code)
            #expect(found[0].refusal(in: kind) == one.refusal(in: kind))
            #expect((found[0].eventName(in: kind) ?? "") == (one.eventName(in: kind) ?? ""))
        }
    }

    @Test func `An entry takes at most 100 bytes if its refusal message is generated from code and names`() {
        var ring = History()
        var random = SeededGenerator.announced("lines of history", seed: 4)
        let reasons = [
            refused(.notValidMask(accepted: 0b101)), refused(.notAllowed, "tick"), refused(.unknownEvent, "openTheDoor"),
        ]
        var latest = PackedHistoryEntry.none
        for _ in 0..<600_000 {
            let refused = Bool.random(using: &random) ? reasons.randomElement(using: &random) : nil
            let payload = Int.random(in: 0..<4, using: &random) == 0 ? #"{"episode":3}"# : nil
            latest = ring.append(entry(refused, payload: payload), of: 1, after: latest)
        }
        #expect(ring.footprint <= 262_144 * 100, "\(ring.footprint / 262_144) bytes a line")
        for _ in 0..<262_144 { latest = ring.append(entry(nil, event: 4), of: 1, after: latest) }
        #expect(ring.footprint <= 262_144 * 50, "texts of overwritten entries are freed too: \(ring.footprint / 262_144)")
    }

    @Test func `The oldest texts are dropped at the memory limit, together with their entries`() {
        var ring = History(History.Limits(lines: 8_192, perSession: 10_000, bytes: 256 << 10))
        var latest = PackedHistoryEntry.none
        for number in 0..<3_000 {
            let payload = String(repeating: "é", count: number % 500) + "\(number)"
            latest = ring.append(entry(nil, payload: payload), of: 1, after: latest)
            #expect(ring.newest(1, of: 1, from: latest, kind).first?.payload == payload)
        }
        let lines = ring.newest(.max, of: 1, from: latest, kind)
        #expect((200..<3_000).contains(lines.count), "some entries are kept, but not all: \(lines.count)")
        for (back, line) in lines.enumerated() { #expect(line.payload?.hasSuffix("\(2_999 - back)") == true) }
        #expect(ring.footprint <= (256 << 10) + 2 * 4_096 * MemoryLayout<PackedHistoryEntry>.stride)
    }

    @Test(arguments: [0, (1 << 28) - 3, (1 << 28) - 1, 1 << 28, (5 << 28) - 2] as [UInt64])
    func `A session's entries are found by short numbers, also where the short numbers wrap around`(start: UInt64) {
        var ring = History(History.Limits(lines: 4_096, perSession: 100), from: start)
        var latest = History.noShort
        for number in 0..<10 {
            let serial = ring.append(entry(nil, payload: "\(number)"), of: 1, after: ring.serial(latest))
            latest = History.short(serial)
            #expect(latest != History.noShort && ring.serial(latest) == serial)
        }
        #expect(ring.newest(99, of: 1, from: ring.serial(latest), kind).map(\.payload) == (0..<10).reversed().map { "\($0)" })
        #expect(ring.serial(History.noShort) == PackedHistoryEntry.none)
        for _ in 0..<5_000 { _ = ring.append(entry(nil), of: 2, after: PackedHistoryEntry.none) }
        #expect(ring.newest(99, of: 1, from: ring.serial(latest), kind).isEmpty, "later entries have overwritten these")
    }
}

extension History {
    /// Encodes and appends an entry as a session's recorder does.
    fileprivate mutating func append(
        _ entry: HistoryEntry, of slot: UInt32, seq: UInt32 = 1, recorded: UInt64 = 0, after latest: UInt64
    ) -> UInt64 {
        let encoder = EntryEncoder()
        return withExtendedLifetime(encoder) {
            append(
                encoder.encode(entry, of: slot, 0), at: entry.at, EntryNumber(serial: recorded, seq: seq), after: latest)
        }
    }

    fileprivate mutating func `repeat`(
        _ entry: HistoryEntry, of slot: UInt32, seq: UInt32, after latest: UInt64, from oldest: UInt64 = 0,
        recordedFrom: UInt64 = 0
    ) -> Repeated? {
        let encoder = EntryEncoder()
        return withExtendedLifetime(encoder) {
            `repeat`(
                encoder.encode(entry, of: slot, 0), at: entry.at, seq: seq, after: latest, from: oldest,
                recordedFrom: recordedFrom)
        }
    }
}
