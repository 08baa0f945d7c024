// The limits on everything that a client can make grow. Those that can be set are in `Limit.all`.

import Posix
import RESP
import Sessions
import Texts

package struct Limits: Equatable, Sendable {
    package var sessions = 10_000_000
    package var nameLength = SessionName.maxLength
    package var historyLines = 262_144
    package var sessionHistory = 50
    package var historyBytes = 32 << 20
    package var waitingBytes = 64 << 20
    package var connections = 10_000
    package var sharePercent = 50
    package var reservePercent = 5
    package var strangers = 64
    package var strangerMilliseconds = 10_000
    package var requestBytes = 64 << 20
    package var arguments = 1 << 16
    package var argumentBytes = 32 << 20
    package var payloadBytes = 1 << 20
    package var pauseBytes = 1 << 20
    package var outputBytes = 64 << 20
    package var clientBytes = 128 << 20
    package var subscriptions = 10_000
    package var patternPieces = 1 << 16
    var hookMilliseconds = 10_000
    package var ids = 64
    var transactionCommands = 1_000
    var transactionBytes = 4 << 20
    package var turnRequests = 1_000
    var advanceFirings = 1_000_000
    package var recordBytes = 1 << 30
    package var undoMilliseconds = 10_000
    package var stopMilliseconds = 2_000
    package var journalBacklog = 64 << 20

    package init() {}

    /// Sets a limit by name; throws if no limit has that name or the value is out of range.
    package mutating func set(_ name: String, to value: String) throws(UsageError) {
        if let advice = Limit.notSettable[name.lowercased()] {
            throw UsageError("the limit '\(name)' cannot be set: \(advice)")
        }
        guard let limit = Limit.named(name) else {
            throw UsageError("there is no limit '\(name.shortened)'; \(Limit.all.map(\.name).advice(for: name))")
        }
        self[keyPath: limit.path] = try limit.read(value)
    }

    /// How much history is kept.
    package var history: History.Limits { History.Limits(lines: historyLines, perSession: sessionHistory, bytes: historyBytes) }

    /// Limits that differ from their defaults.
    package var changed: [(limit: Limit, value: Int)] {
        Limit.all.map { ($0, self[keyPath: $0.path]) }.filter { $0.1 != $0.0.standard }
    }
}

extension CommandError {
    /// A limit was reached; the error says how to change it.
    package static func limit(_ path: KeyPath<Limits, Int>, _ sentence: String) -> CommandError {
        CommandError(.limit, sentence, advice: Limit.advice(path))
    }

    /// Advice to change the daemon is for administrators alone.
    package func sentence(for grant: Grant) -> String { grant.has(.administers) ? sentence : sentenceWithoutAdvice }
}
