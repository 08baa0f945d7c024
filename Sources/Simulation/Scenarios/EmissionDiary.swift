// What sessions have emitted since the last command.

import GameFlow
import Sessions

/// Listens to a scenario's sessions, as a subscriber would.
final class EmissionDiary: SessionObserver {
    /// A pendulum emits very often in a simulated year. Later ones are not kept.
    private static let maxCount = 100_000

    private var emissions: [(session: String, emission: Emission)] = []

    /// Begins anew, before a command.
    func clear() {
        if !emissions.isEmpty { emissions = [] }
    }

    override func session(_ session: Session, didEmit emission: Emission) {
        if emissions.count < Self.maxCount { emissions.append((session.name, emission)) }
    }

    func emissions(of session: String) -> [Emission] { emissions.filter { $0.session == session }.map(\.emission) }
}

/// What a scenario expects to be emitted.
struct ExpectedEmission: Sendable {
    let event: String
    /// As it was written; nil if anything will do.
    let data: DataExpectation?

    /// Nil if one of these is it.
    func mismatch(with emissions: [Emission]) -> Mismatch? {
        let isMet = emissions.contains { $0.event == event && data?.isMet(by: Self.object($0)) ?? true }
        let names = emissions.map { $0.event + ($0.data.map { " \($0)" } ?? "") }
        return .unless(
            isMet, event + (data.map { " \($0.text)" } ?? ""), got: names.isEmpty ? "nothing" : names.joined(separator: ", "))
    }

    /// Data have paths, and what is emitted may be a single value.
    static let path = "data"

    private static func object(_ emission: Emission) -> JSON { .object([.init(path, emission.data ?? .null)]) }
}
