// The ring of what has happened, against lists that forget nothing.

import GameFlow
import Seeds
import Testing
import Timers

@testable import GameDaemon

@Suite struct `The ring of history` {
    private static let sessions = 40
    private static let lines = 8_192
    private static let perSession = 30

    private let kind = MachineSetup<Turns>()

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

    @Test(arguments: [UInt64(5), 8_000, 9_000, 1 << 40])
    func `goes on with any later number, and lines on both sides of a small gap stay together`(gap: UInt64) {
        var ring = History(History.Limits(lines: Self.lines, perSession: Self.perSession))
        ring.goOnOrSkip(to: 1_000)
        let before = ring.append(occurrence(1), of: 7, after: HistoryLine.none)
        #expect(before == 1_000)
        ring.goOnOrSkip(to: 1_001 + gap)
        let after = ring.append(occurrence(2), of: 7, after: before)
        #expect(after == 1_001 + gap)
        let isNear = gap < UInt64(Self.lines)
        #expect(ring.newest(.max, of: 7, from: after, kind).map(\.version) == (isNear ? [2, 1] : [2]))
    }
}
