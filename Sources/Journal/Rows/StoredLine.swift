import GameFlow
import RESP
import Sessions

/// A history entry as the store has it.
package struct StoredLine: Hashable, Sendable {
    var serial: UInt64
    var name: ByteString
    let life: Int64
    let seq: Int64
    let version: UInt32
    /// Milliseconds since 1970.
    var at: Int64
    let what: Happening
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
    /// Nil if it came about once.
    let again: Again?

    /// How often it came about, and the last time.
    struct Again: Hashable {
        let times: Int64
        let at: Int64
        let seq: Int64
        let version: Int64
    }

    var atWallNanoseconds: Int64 { wallNanoseconds(milliseconds: at) }

    /// The sentence of a refusal. Without its flow it says less.
    func refused(by flow: FlowKind?) -> String? {
        guard let facts else { return nil }
        guard let flow, let source = EventSource.allCases.first(where: { $0.name == source }) else {
            return facts.sentence(event: event ?? "", in: from, from: source)
        }
        return flow.refused(facts, event: event ?? "", code: .generic, in: from, from: source).sentence
    }
}
