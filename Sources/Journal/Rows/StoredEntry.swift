// A history entry as the store has it.

import GameFlow
import Memory
import Sessions
import Store

package struct StoredEntry: Hashable, Sendable {
    var serial: UInt64
    var name: ByteString
    let life: Int64
    let seq: Int64
    let version: UInt32
    /// Milliseconds since 1970.
    var at: Int64
    let kind: HistoryEntry.Kind
    var names: EntryNames
    var payload: String?
    /// Nil if the event was not refused.
    var facts: RefusalFacts?
    /// Nil if the entry was not repeated.
    var repeats: RepeatRow?

    var atWallNanoseconds: Int64 { wallNanoseconds(milliseconds: at) }

    /// The source of its event; an edited row may hold another text.
    var eventSource: EventSource { EventSource.allCases.first { $0.name == names.source } ?? .network }

    /// Returns the error message of a refused event, or nil. Without the flow it has less detail.
    func refused(by flow: FlowKind?) -> String? {
        guard let facts else { return nil }
        let event = names.event ?? ""
        guard let flow else { return facts.sentence(event: event, in: names.from, from: names.source) }
        return flow.sentence(facts, event: event, in: names.from, from: eventSource)
    }
}

/// The names in an entry. Entries of one block share an instance if their names are equal and were read recently.
final class EntryNames: Sendable {
    let flow: String
    let source: String
    let from: String
    let to: String
    let event: String?
    let timer: String?
    /// The version of the flow that recorded the entry.
    let definition: String?
    let actor: String?
    /// The error's code if the event was refused.
    let code: String?

    init(
        flow: String, source: String, from: String, to: String, event: String? = nil, timer: String? = nil,
        definition: String? = nil, actor: String? = nil, code: String? = nil
    ) {
        (self.flow, self.source, self.from, self.to) = (flow, source, from, to)
        (self.event, self.timer, self.definition, self.actor, self.code) = (event, timer, definition, actor, code)
    }

    /// Returns a copy with each name passed through `body`.
    func mapped(_ body: (String) -> String) -> EntryNames {
        EntryNames(
            flow: body(flow), source: body(source), from: body(from), to: body(to), event: event.map(body),
            timer: timer.map(body), definition: definition.map(body), actor: actor.map(body), code: code.map(body))
    }

    private var all: [String?] { [flow, source, from, to, event, timer, definition, actor, code] }
}

extension EntryNames: Hashable {
    static func == (one: EntryNames, other: EntryNames) -> Bool { one === other || one.all == other.all }

    func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

extension RepeatRow {
    var lastWallNanoseconds: Int64 { wallNanoseconds(milliseconds: lastAt) }
}
