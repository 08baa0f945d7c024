import GameFlow
import Memory
import Sessions
import Store

/// A history entry as the store has it.
package struct StoredEntry: Hashable, Sendable {
    var serial: UInt64
    var name: ByteString
    let life: Int64
    let seq: Int64
    let version: UInt32
    /// Milliseconds since 1970.
    var at: Int64
    let kind: HistoryEntry.Kind
    var flow: String
    var source: String
    var from: String
    var to: String
    var event: String?
    var timer: String?
    var payload: String?
    /// The definition of its flow under which it came about.
    var definition: String?
    var actor: String?
    var code: String?
    /// Nil if the event was not refused.
    var facts: RefusalFacts?
    /// Nil if it has happened once.
    var repeats: RepeatRow?

    var atWallNanoseconds: Int64 { wallNanoseconds(milliseconds: at) }

    /// Where its event came from; a row that was edited may say something else.
    var eventSource: EventSource { EventSource.allCases.first { $0.name == source } ?? .network }

    /// The sentence of a refusal. Without its flow it says less.
    func refused(by flow: FlowKind?) -> String? {
        guard let facts else { return nil }
        guard let flow else { return facts.sentence(event: event ?? "", in: from, from: source) }
        return flow.refused(facts, event: event ?? "", code: .generic, in: from, from: eventSource).sentence
    }
}

extension RepeatRow {
    var lastWallNanoseconds: Int64 { wallNanoseconds(milliseconds: lastAt) }
}
