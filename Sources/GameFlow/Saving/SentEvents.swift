// Ids of events: while a machine remembers one, its sender gets the first answer again, and the event changes nothing twice.

import Texts

/// An id that a sender has given an event. Ids are unique per sender.
package struct EventID: Hashable, Sendable {
    package let id: String
    /// The sender's name, as its token or its user has it.
    package let actor: String

    /// The longest id, in bytes.
    package static let maxLength = 64

    package init(_ id: String, of actor: String) { (self.id, self.actor) = (id, actor) }
}

/// The answer to an event's sender.
package enum SentAnswer: Equatable, Sendable {
    case state(String)
    case refused(ErrorCode, String)

    /// As a line of the protocol, without its end: `+second`, `-VETOED not now`.
    var text: String {
        switch self {
        case .state(let state): "+\(state)"
        case .refused(let code, let sentence): "-\(code) \(sentence)"
        }
    }

    /// Nil if the line is not a state and not an error.
    package init?(_ line: some StringProtocol) {
        switch line.first {
        case "+": self = .state(String(line.dropFirst()))
        case "-":
            let words = line.dropFirst().split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            self = .refused(ErrorCode(String(words[0])), words.count > 1 ? String(words[1]) : "")
        default: return nil
        }
    }
}

/// Facts of a refusal, for programs. Its sentence is saved as well: it has remaining times and a state that the facts do not have.
package struct SentFacts: Equatable, Sendable {
    /// The events that the sender could have sent in its place; nil if that is not known.
    package let accepted: [String]?
    /// The timer that had just moved the session to its state.
    package let timer: String?

    /// Bytes of the names of accepted events; a longer list is not remembered.
    private static let maxNameBytes = 1 << 10

    package init(accepted: [String]?, timer: String?) {
        let bytes = accepted?.reduce(0) { $0 + $1.utf8.count } ?? 0
        self.accepted = bytes <= Self.maxNameBytes ? accepted : nil
        self.timer = timer
    }
}

/// An event that was sent with an id.
package struct SentEvent: Equatable, Sendable {
    package let id: EventID
    /// Tells the event and its payload from others.
    package let fingerprint: UInt64
    /// Nil while the event waits for a hook.
    package internal(set) var answer: SentAnswer?
    /// Nil if the answer is not a refusal, or one without facts.
    package let facts: SentFacts?

    package init(_ id: EventID, fingerprint: UInt64, answer: SentAnswer?, facts: SentFacts? = nil) {
        (self.id, self.fingerprint, self.answer, self.facts) = (id, fingerprint, answer, facts)
    }
}

/// The ids that a session remembers, the oldest first.
package final class SentEvents {
    /// Bytes of all ids, senders and answers, as they are saved; above, the oldest goes.
    package static let maxBytes = 16 << 10

    package private(set) var events: [SentEvent]
    /// Each as it is saved.
    private var texts: [String]
    private var bytes: Int

    init(_ events: [SentEvent] = []) {
        self.events = events
        texts = events.map(\.text)
        bytes = texts.reduce(0) { $0 + $1.utf8.count }
    }

    /// As a JSON array.
    var text: String { "[" + texts.joined(separator: ",") + "]" }

    package func find(_ id: EventID) -> SentEvent? { index(of: id).map { events[$0] } }

    private func index(of id: EventID) -> Int? { events.lastIndex { $0.id == id } }

    func add(_ event: SentEvent, atMost most: Int) {
        events.append(event)
        texts.append(event.text)
        bytes += texts[texts.count - 1].utf8.count
        shrink(to: most)
    }

    /// Returns whether the id is remembered.
    func decide(_ id: EventID, _ answer: SentAnswer) -> Bool {
        guard let index = index(of: id) else { return false }
        bytes -= texts[index].utf8.count
        events[index].answer = answer
        texts[index] = events[index].text
        bytes += texts[index].utf8.count
        shrink(to: events.count)
        return true
    }

    private func shrink(to most: Int) {
        while events.count > 1, events.count > most || bytes > Self.maxBytes {
            bytes -= texts[0].utf8.count
            texts.removeFirst()
            events.removeFirst()
        }
    }
}

// MARK: As text

extension SentEvent {
    fileprivate var text: String {
        var members = ["\"id\":\(JSON.string(id.id))", "\"actor\":\(JSON.string(id.actor))"]
        members.append("\"fingerprint\":\"\(String(fingerprint, radix: 16))\"")
        if let answer { members.append("\"answer\":\(JSON.string(answer.text))") }
        if let facts { members.append("\"facts\":\(facts.json)") }
        return "{" + members.joined(separator: ",") + "}"
    }

    fileprivate init(_ json: JSON) throws {
        guard let id = json["id"]?.text, let actor = json["actor"]?.text,
            let fingerprint = json["fingerprint"]?.text.flatMap({ UInt64($0, radix: 16) })
        else { throw RestorationError("an event's id has no sender or no fingerprint: \(json.description.shortened)") }
        self.init(
            EventID(id, of: actor), fingerprint: fingerprint, answer: json["answer"]?.text.flatMap { SentAnswer($0) },
            facts: json["facts"].map { SentFacts($0) })
    }
}

extension SentFacts {
    fileprivate var json: JSON {
        .object(having: [
            "accepted": accepted.map { names in .array(names.map { .string($0) }) }, "timer": timer.map { .string($0) },
        ])
    }

    fileprivate init(_ json: JSON) {
        var accepted: [String]?
        if case .array(let names)? = json["accepted"] { accepted = names.compactMap(\.text) }
        self.init(accepted: accepted, timer: json["timer"]?.text)
    }
}

/// A store's record beside a session's state: the events that wait, those that were sent with ids, and the stored text.
package struct SavedEvents: Sendable {
    package var waiting: [WaitingEvent]
    package var sent: [SentEvent]
    /// The number of the last event that was postponed: no other one gets it.
    package var lastPostponed = 0
    /// The text that hooks and work have stored; nil if nothing is stored.
    package var storedText: String?

    /// Reads a list of waiting events, or an object with that, the ids, the last number and the stored text.
    package static func read(_ text: UnsafeRawBufferPointer) throws -> SavedEvents {
        let json = try Payload(bytes: text).json
        if case .array(let waiting) = json { return SavedEvents(waiting: try waiting.map { try WaitingEvent($0) }, sent: []) }
        guard case .array(let waiting)? = json["waiting"], case .array(let sent)? = json["sent"] else {
            throw RestorationError("the waiting events are not a list")
        }
        return SavedEvents(
            waiting: try waiting.map { try WaitingEvent($0) }, sent: try sent.map { try SentEvent($0) },
            lastPostponed: min(max(0, json["postponed"]?.integer ?? 0), WaitingEvent.maxNumber),
            storedText: json["storage"]?.text)
    }

    /// In a store's form, as `read` reads it; nil if there is nothing.
    package var text: String? {
        Self.text(waiting: waiting, sent: sent.isEmpty ? nil : SentEvents(sent).text, lastPostponed, storedText)
    }

    static func text(waiting: [WaitingEvent], sent: String?, _ lastPostponed: Int, _ storedText: String?) -> String? {
        guard sent != nil || lastPostponed > 0 || storedText != nil else {
            return waiting.isEmpty ? nil : WaitingEvent.text(of: waiting)
        }
        let storage = storedText.map { ",\"storage\":\(JSON.string($0))" } ?? ""
        let events = WaitingEvent.text(of: waiting)
        return "{\"waiting\":\(events),\"sent\":\(sent ?? "[]"),\"postponed\":\(lastPostponed)\(storage)}"
    }
}

extension SentAnswer {
    private static let lostSentence =
        "this event waited for a hook when the daemon ended; outcome unknown: check the session's HISTORY before you retry"
    static let lost = SentAnswer.refused(.unknown, lostSentence)
}

// MARK: - Waiting events

/// An event that was acknowledged and is not handled yet.
public struct WaitingEvent: Sendable {
    /// The event's name.
    public let event: String
    /// Its payload.
    public let payload: Payload?
    /// The event's source.
    public let source: EventSource
    /// The sender's name; nil if it is unknown.
    public let actor: String?
    /// The timer that sent it; if that is gone by then, the event is dropped, unless it was postponed.
    public let timer: String?
    /// Whether it waits for another state; otherwise it waits for a hook.
    public let isPostponed: Bool
    /// Whether the history has it as waiting for a hook.
    package var isRecorded = false
    /// The id that it was sent with, if its sender is still to be answered.
    package var id: EventID?
    /// The number of an event that was postponed, among those of its session.
    package var number: Int?
    /// A larger one was never given.
    static let maxNumber = Int(Int32.max)
    /// How long it had been postponed when it was saved, in nanoseconds.
    package var age: Int64 = 0
}

// MARK: As text

extension WaitingEvent {
    /// A JSON array, for a store.
    package static func text(of events: [WaitingEvent]) -> String {
        "[" + events.map(\.text).joined(separator: ",") + "]"
    }

    private var text: String {
        var members = ["\"event\":\(JSON.string(event))", "\"source\":\(JSON.string(source.name))"]
        if isPostponed { members.append("\"postponed\":true") }
        if isRecorded { members.append("\"recorded\":true") }
        if let timer { members.append("\"timer\":\(JSON.string(timer))") }
        if let payload { members.append("\"payload\":\(payload.text)") }
        if let actor { members.append("\"actor\":\(JSON.string(actor))") }
        if let id { members.append("\"id\":\(JSON.string(id.id)),\"id_of\":\(JSON.string(id.actor))") }
        if let number { members.append("\"number\":\(number),\"age_ns\":\(age)") }
        return "{" + members.joined(separator: ",") + "}"
    }

    init(_ json: JSON) throws {
        guard let event = json["event"]?.text, let name = json["source"]?.text,
            let source = EventSource.allCases.first(where: { $0.name == name })
        else { throw RestorationError("a waiting event has no name or no source: \(json.description.shortened)") }
        self.init(
            event: event, payload: try json["payload"].map { try Payload(text: $0.description) }, source: source,
            actor: json["actor"]?.text, timer: json["timer"]?.text, isPostponed: json["postponed"]?.boolean ?? false)
        if let text = json["id"]?.text, let owner = json["id_of"]?.text { id = EventID(text, of: owner) }
        isRecorded = json["recorded"]?.boolean ?? false
        number = json["number"]?.integer
        age = max(0, Int64(json["age_ns"]?.integer ?? 0))
    }
}
