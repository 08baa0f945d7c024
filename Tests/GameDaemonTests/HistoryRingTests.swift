// The ring of what has happened, against lists that forget nothing.

import BuiltInFlows
import GameFlow
import Seeds
import Testing
import Timers
@testable import Commands
@testable import Sessions

@Suite struct `The ring of history` {
    private let actors = ActorTable()
    private static let sessions = 40
    private static let lines = 8_192
    private static let perSession = 30

    private let kind = TypedFlowKind<Turns>()

    private func occurrence(_ version: UInt32) -> Occurrence {
        Occurrence(from: 0, to: 1, cause: Cause(.network), detail: nil, at: .zero, version: version)
    }

    @Test func `keeps each session's newest lines, and forgets those that others have overwritten`() {
        var random = SeededGenerator.announced("the ring of history", seed: 9)
        var ring = History(History.Limits(lines: Self.lines, perSession: Self.perSession))
        var latest = [UInt64](repeating: HistoryLine.none, count: Self.sessions)
        var model: [[(serial: UInt64, version: UInt32)]] = Array(repeating: [], count: Self.sessions)
        for step in 0..<24_760 {
            // Some are busy, and one is heard of just too late for its line before to be there still.
            let session = step % 8_250 == 0 ? 0 : 1 + Int.random(in: 0..<Self.sessions - 1, using: &random)
            model[session].append((ring.next, UInt32(step)))
            latest[session] = ring.append(occurrence(UInt32(step)), of: UInt32(session), after: latest[session])
        }
        for session in 0..<Self.sessions {
            let kept = model[session].reversed().prefix { ring.next - $0.serial <= UInt64(Self.lines) }.prefix(Self.perSession)
            #expect(ring.newest(.max, of: UInt32(session), from: latest[session], kind).map(\.version) == kept.map(\.version))
            #expect(
                ring.newest(3, of: UInt32(session), from: latest[session], kind).map(\.version) == kept.prefix(3).map(\.version)
            )
            let found = ring.first(of: UInt32(session), from: latest[session], kind) { $0.version % 7 == 0 }?.version
            #expect(found == kept.map(\.version).first { $0 % 7 == 0 })
        }
    }

    private func begun(by actor: String?, at milliseconds: Int = 0, payload: String? = nil) -> Occurrence {
        let actor = actor.map { actors.number(of: $0) } ?? .none
        return Occurrence(
            from: 0, to: 0, cause: Cause(.network, actor: actor), detail: Detail(.begun, payload: payload),
            at: Instant.zero.advanced(by: .milliseconds(milliseconds)), version: 0)
    }

    @Test func `holds one line for sessions that begin together, and each of them finds it`() {
        var ring = History(History.Limits(lines: Self.lines, perSession: Self.perSession))
        _ = ring.append(occurrence(1), of: 9_999, after: HistoryLine.none)
        let serials = (0..<5_000).map { ring.append(begun(by: "ann"), of: $0, after: HistoryLine.none) }
        #expect(Set(serials) == [1] && ring.next == 2)
        let moved = ring.append(occurrence(1), of: 4_000, after: serials[4_000])
        for slot in [UInt32(0), 2_500, 4_999] {
            let found = ring.newest(9, of: slot, from: 1, kind)
            #expect(found.map(\.what) == [.begun] && actors.name(found[0].cause.actor) == "ann" && found[0].version == 0)
        }
        #expect(ring.newest(9, of: 4_000, from: moved, kind).map(\.what) == [.taken, .begun])
        #expect(ring.newest(9, of: 5_000, from: 1, kind).isEmpty, "it has not begun with them")
    }

    @Test func `holds a line of its own for one that began otherwise`() {
        var ring = History(History.Limits(lines: Self.lines, perSession: Self.perSession))
        let beginnings = [
            (begun(by: "ann"), UInt32(0)), (begun(by: "bob"), 1), (begun(by: "bob", at: 1), 2), (begun(by: "bob", at: 1), 7),
            (begun(by: "bob", at: 1, payload: "{}"), 8), (begun(by: "bob", at: 1), 9), (begun(by: nil, at: 1), 10),
        ]
        for (number, (one, slot)) in beginnings.enumerated() {
            #expect(ring.append(one, of: slot, after: HistoryLine.none) == UInt64(number))
            let found = ring.newest(9, of: slot, from: UInt64(number), kind)
            #expect(
                found.count == 1 && found[0].cause.actor == one.cause.actor && found[0].at == one.at
                    && found[0].payload == one.payload)
        }
    }
}

@Suite struct `The texts of history` {
    private let kind = TypedFlowKind<Game>()

    private func refused(_ reason: Refused.Reason, _ event: String = "chooseLevel", words: String = "") -> Refused {
        kind.refused(reason, event: event, code: .noTransition, in: "introduction", from: .network, words: words)
    }

    private func occurrence(_ refused: Refused?, payload: String? = nil, event: UInt16 = Cause.none) -> Occurrence {
        Occurrence(
            from: 0, to: 0, cause: Cause(.network, event: event),
            detail: Detail(refused == nil ? .taken : .refused, refused: refused, payload: payload),
            at: .zero,
            version: 7)
    }

    @Test func `come back as they were`() {
        var ring = History()
        let notValid = refused(.notValid(accepted: 0b101))
        #expect(notValid.sentence == "'chooseLevel' is not valid in 'introduction'; it accepts displayHelp, startPlaying")
        let cases = [
            occurrence(notValid), occurrence(notValid, payload: "3"), occurrence(notValid, event: 4),
            occurrence(refused(.unknownEvent, "café")), occurrence(refused(.notAllowed, "tick"), payload: ""),
            occurrence(refused(.words, words: "ödd words")), occurrence(nil, payload: #"{"a":1}"#), occurrence(refused(.words)),
        ]
        for one in cases {
            let serial = ring.append(one, of: 3, after: HistoryLine.none)
            let found = ring.newest(9, of: 3, from: serial, kind)
            #expect(found.count == 1 && found[0].payload == one.payload && found[0].version == 7)
            #expect(found[0].refused?.sentence == one.refused?.sentence && found[0].refused?.code == one.refused?.code)
            #expect((found[0].eventName(in: kind) ?? "") == (one.eventName(in: kind) ?? ""))
        }
    }

    @Test func `are understood again when they are read back`() {
        for reason in [Refused.Reason.notValid(accepted: 0), .notValid(accepted: 0b1101), .unknownEvent, .notAllowed] {
            let made = refused(reason, "tick")
            let facts = RefusalFacts(json: made.facts(of: kind).json)
            let read = kind.refused(facts, event: "tick", code: made.code, in: "introduction", from: .network)
            #expect(read.reason == reason && read.sentence == made.sentence)
        }
        let strange = kind.refused(
            .accepted(["z"]), event: "x", code: .noTransition, in: "y", from: .ui)
        #expect(strange.reason == .words && strange.sentence == "'x' is not valid in 'y'; it accepts z")
    }

    @Test func `take a hundred bytes a line at most, lines included, where code and names make the sentences`() {
        var ring = History()
        var random = SeededGenerator.announced("lines of history", seed: 4)
        let reasons = [
            refused(.notValid(accepted: 0b101)), refused(.notAllowed, "tick"), refused(.unknownEvent, "openTheDoor"),
        ]
        var latest = HistoryLine.none
        for _ in 0..<600_000 {
            let refused = Bool.random(using: &random) ? reasons.randomElement(using: &random) : nil
            let payload = Int.random(in: 0..<4, using: &random) == 0 ? #"{"episode":3}"# : nil
            latest = ring.append(occurrence(refused, payload: payload), of: 1, after: latest)
        }
        #expect(ring.footprint <= 262_144 * 100, "\(ring.footprint / 262_144) bytes a line")
        for _ in 0..<262_144 { latest = ring.append(occurrence(nil, event: 4), of: 1, after: latest) }
        #expect(ring.footprint <= 262_144 * 50, "texts of lines that have gone are gone, too: \(ring.footprint / 262_144)")
    }

    @Test func `make room for newer ones within their bound, and lines without their texts are none`() {
        var ring = History(History.Limits(lines: 8_192, perSession: 10_000, bytes: 256 << 10))
        var latest = HistoryLine.none
        for number in 0..<3_000 {
            let payload = String(repeating: "é", count: number % 500) + "\(number)"
            latest = ring.append(occurrence(nil, payload: payload), of: 1, after: latest)
            #expect(ring.newest(1, of: 1, from: latest, kind).first?.payload == payload)
        }
        let lines = ring.newest(.max, of: 1, from: latest, kind)
        #expect((200..<3_000).contains(lines.count), "some are left, and not all: \(lines.count)")
        for (back, line) in lines.enumerated() { #expect(line.payload?.hasSuffix("\(2_999 - back)") == true) }
        #expect(ring.footprint <= (256 << 10) + 2 * 4_096 * MemoryLayout<HistoryLine>.stride)
    }

    @Test(arguments: [0, (1 << 28) - 3, (1 << 28) - 1, 1 << 28, (5 << 28) - 2] as [UInt64])
    func `are found by the short numbers of their lines, wherever the count is`(start: UInt64) {
        var ring = History(History.Limits(lines: 4_096, perSession: 100), from: start)
        var latest = History.noShort
        for number in 0..<10 {
            let serial = ring.append(occurrence(nil, payload: "\(number)"), of: 1, after: ring.serial(latest))
            latest = History.short(serial)
            #expect(latest != History.noShort && ring.serial(latest) == serial)
        }
        #expect(ring.newest(99, of: 1, from: ring.serial(latest), kind).map(\.payload) == (0..<10).reversed().map { "\($0)" })
        #expect(ring.serial(History.noShort) == HistoryLine.none)
        for _ in 0..<5_000 { _ = ring.append(occurrence(nil), of: 2, after: HistoryLine.none) }
        #expect(ring.newest(99, of: 1, from: ring.serial(latest), kind).isEmpty, "it has made room for others")
    }
}

extension History {
    /// As a session's recorder would have it encoded.
    fileprivate mutating func append(_ occurrence: Occurrence, of slot: UInt32, after latest: UInt64) -> UInt64 {
        let encoder = EntryEncoder()
        return withExtendedLifetime(encoder) {
            append(encoder.encode(occurrence, of: slot, 0), at: occurrence.at, after: latest)
        }
    }
}

extension Refused {
    /// In names of the flow that it came about under.
    fileprivate func facts(of kind: FlowKind) -> RefusalFacts {
        switch reason {
        case .notValid(let accepted): .accepted(kind.names(of: accepted))
        case .unknownEvent: .unknownEvent
        case .notAllowed: .notAllowed
        case .words: .sentence(sentence)
        }
    }
}
