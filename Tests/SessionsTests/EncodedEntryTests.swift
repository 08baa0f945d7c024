// The encoded form of history entries: entries are decoded unchanged, and damage is detected.

import BuiltInFlows
import GameFlow
import Seeds
import Testing
import Timers

@testable import Sessions

@Suite struct `An encoded history entry` {
    private let kind = TypedFlowKind<Game>()
    private let encoder = EntryEncoder()

    private func text(_ random: inout SeededGenerator) -> String {
        String(
            repeating: ["x", "é", "🎲", "\0", "\""][Int.random(in: 0..<5, using: &random)],
            count: Int.random(in: 0..<40, using: &random))
    }

    private func occurrence(_ random: inout SeededGenerator) -> HistoryEntry {
        let isRefused = Bool.random(using: &random)
        let event = Bool.random(using: &random) ? HistoryEntry.Cause.none : UInt16.random(in: 0...5, using: &random)
        let payload = Bool.random(using: &random) ? text(&random) : nil
        let facts: [RefusalFacts] = [
            .message(text(&random)), .unknownEvent, .notAllowed, .notValidMask(accepted: random.next()),
            .notValid(accepted: [text(&random), text(&random)]), .notValid(accepted: nil), .vetoed(text(&random)),
        ]
        let refused = Refused(
            event: text(&random), code: [.noTransition, .badEvent, .vetoed][Int.random(in: 0..<3, using: &random)],
            facts[Int.random(in: facts.indices, using: &random)])
        let actor =
            Bool.random(using: &random) ? ActorNumber.none : ActorNumber(rawValue: .random(in: 0...0xFFFF, using: &random))
        let kinds = HistoryEntry.Kind.allCases.filter { $0 != .refused }
        let detail =
            isRefused
            ? HistoryEntry.Detail(refused: refused, payload: payload)
            : HistoryEntry.Detail(kinds[Int.random(in: kinds.indices, using: &random)], payload: payload)
        return HistoryEntry(
            from: .random(in: 0...0xFFFF, using: &random), to: .random(in: 0...0xFFFF, using: &random),
            cause: HistoryEntry.Cause(
                EventSource.allCases[Int.random(in: 0..<5, using: &random)], event: event,
                timer: Bool.random(using: &random) ? HistoryEntry.Cause.none : UInt16.random(in: 0...5, using: &random),
                actor: actor),
            detail: Int.random(in: 0..<4, using: &random) == 0 ? nil : detail, at: .zero,
            version: .random(in: 0...UInt32.max, using: &random))
    }

    private func string(_ bytes: UnsafeRawBufferPointer?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    @Test func `An encoded entry decodes to the original indices, numbers and texts`() throws {
        var random = SeededGenerator.announced("encoded entries", seed: 24)
        #expect(MemoryLayout<PackedEntry>.size == 24)
        for _ in 0..<5_000 {
            let (occurrence, slot) = (occurrence(&random), UInt32.random(in: 0...UInt32.max, using: &random))
            let encoded = encoder.encode(occurrence, of: slot, 7)
            let entry = encoded.entry
            #expect(entry.slot == slot && entry.flowVersion == 7 && entry.version == occurrence.version && entry.isValid)
            #expect(UInt32(entry.from) == occurrence.from && UInt32(entry.to) == occurrence.to)
            #expect(entry.event == occurrence.cause.event && entry.timer == occurrence.cause.timer)
            #expect(entry.source == occurrence.cause.source && entry.kind == occurrence.kind)
            #expect(entry.actor == occurrence.cause.actor)
            #expect(Int(entry.textCount) == encoded.texts.count)
            let texts = try #require(EntryTexts(encoded.texts, entry.parts))
            #expect(string(texts.payload) == occurrence.payload)
            #expect(string(texts.refusal?.code) == occurrence.refused?.code.text)
            guard let refused = occurrence.refused else { continue }
            #expect(string(texts.event) == (entry.event == HistoryEntry.Cause.none ? refused.event : nil))
            switch texts.refusal?.facts {
            case .accepted(let mask): #expect(refused.facts == .notValidMask(accepted: mask))
            case .json(let bytes): #expect(RefusalFacts(json: String(decoding: bytes, as: UTF8.self)) == refused.facts)
            case .early, nil: Issue.record("the facts are missing")
            }
        }
    }

    @Test func `Texts of the wrong length are rejected, and no byte beyond them is read`() {
        var random = SeededGenerator.announced("damaged entries", seed: 25)
        for _ in 0..<500 {
            let encoded = encoder.encode(occurrence(&random), of: 1, 0)
            let (bytes, parts) = (Array(encoded.texts), encoded.entry.parts)
            for count in 0...bytes.count + 1 where count != bytes.count {
                let changed = Array((bytes + [0]).prefix(count))
                #expect(changed.withUnsafeBytes { EntryTexts($0, parts) } == nil, "\(count) of \(bytes.count) bytes")
            }
            // Bytes with random damage only have to be read safely.
            for _ in 0..<20 where !bytes.isEmpty {
                var changed = bytes
                changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
                _ = changed.withUnsafeBytes {
                    EntryTexts($0, EntryParts(rawValue: UInt8.random(in: 0...15, using: &random))) != nil
                }
            }
        }
    }

    @Test func `An encoder truncates texts of more than 8,000 bytes`() throws {
        let long = String(repeating: "é", count: 100_000)
        let occurrence = HistoryEntry(
            from: 0, to: 0, cause: HistoryEntry.Cause(.ui), detail: HistoryEntry.Detail(.forced, payload: long), at: .zero,
            version: 1)
        let encoded = encoder.encode(occurrence, of: 1, 0)
        let texts = try #require(EntryTexts(encoded.texts, encoded.entry.parts))
        #expect(texts.payload?.count ?? 0 <= 8_000 && string(texts.payload)?.hasSuffix("é…") == true)
    }
}
