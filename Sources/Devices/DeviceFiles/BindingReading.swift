// One event of a device, as a device file says it.

import GameFlow
import Texts

extension Binding {
    private enum Word: String, CaseIterable {
        case notification, indication, advertisement, connect, disconnect
    }

    /// Nil if something in it is wrong, which is then noted.
    init?(_ json: JSON, of values: [NamedValue], at place: String, _ problems: Problems) {
        let fields = FieldReader(json, at: place, problems)
        let before = problems.sentences.count
        defer { fields.finish() }
        let word = fields.required("on", like: "\"notification\"") { json throws(FieldProblem) in try Self.word(json) }
        let session = fields.required("session", like: "\"main\"") { json throws(FieldProblem) in try FieldValue.text(json) }
        let event = fields.required("event", like: "\"pass\"") { json throws(FieldProblem) in try FieldValue.text(json) }
        let trigger = word.flatMap { Self.trigger($0, fields) }
        let pattern = trigger.flatMap { Self.pattern($0, values, fields) }
        let payload = trigger.flatMap { Self.payload($0, fields) }
        guard let session, let event, let trigger, let pattern, let payload, problems.sentences.count == before else {
            return nil
        }
        self.init(trigger: trigger, pattern: pattern, session: session, event: event, payload: payload)
    }

    private static func word(_ json: JSON) throws(FieldProblem) -> Word {
        guard let word = try Word(rawValue: FieldValue.text(json)) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw FieldProblem("'\(json.description.shortened)' is nothing that a device does; there are \(words)")
        }
        return word
    }

    private static func trigger(_ word: Word, _ fields: FieldReader) -> Trigger? {
        switch word {
        case .connect: .connected
        case .disconnect: .disconnected
        case .advertisement: .advertised(AdvertisedPart(fields) ?? .anything)
        case .notification, .indication:
            fields.required("attribute", like: "\"0x002A\"") { json throws(FieldProblem) in try FieldValue.attribute(json) }
                .map { .value($0, onlyIndications: word == .indication) }
        }
    }

    /// Whether what triggers it says something that a pattern can be compared with, and a payload be read from.
    private static func hasValue(_ trigger: Trigger) -> Bool {
        switch trigger {
        case .value: true
        case .advertised(let part): part != .anything
        case .connected, .disconnected: false
        }
    }

    private static func pattern(_ trigger: Trigger, _ values: [NamedValue], _ fields: FieldReader) -> ValuePattern? {
        guard hasValue(trigger) else { return .any }
        guard fields.has("value") else { return .any }
        return fields.optional("value") { json throws(FieldProblem) in try FieldValue.pattern(json, values) }
    }

    private static func payload(_ trigger: Trigger, _ fields: FieldReader) -> PayloadRule? {
        let said = fields.optional("payload") { json throws(FieldProblem) in json }
        let constant = said == .null ? nil : said
        guard hasValue(trigger) else { return constant.map { .constant($0) } ?? .nothing }
        let format = fields.optional("payloadFrom") { json throws(FieldProblem) in try FieldValue.format(json) }
        let skip = fields.optional("skip") { json throws(FieldProblem) in try FieldValue.count(json) }
        let field = fields.optional("field") { json throws(FieldProblem) in try FieldValue.text(json) }
        if constant != nil, fields.has("payloadFrom") {
            fields.problems.note(fields.place, "there is a 'payload' and a 'payloadFrom'; an event carries one thing")
        }
        if !fields.has("payloadFrom"), fields.has("skip") || fields.has("field") {
            fields.problems.note(fields.place, "'skip' and 'field' say how 'payloadFrom' reads the value, and there is none")
        }
        if let format { return .read(format, skip: skip ?? 0, field: field) }
        return constant.map { .constant($0) } ?? .nothing
    }
}

extension AdvertisedPart {
    /// From `service` or `company`; nil if neither is there.
    init?(_ fields: FieldReader) {
        let service = fields.optional("service") { json throws(FieldProblem) in try FieldValue.service(json) }
        let company = fields.optional("company") { json throws(FieldProblem) in try FieldValue.company(json) }
        if service != nil, company != nil {
            fields.problems.note(fields.place, "there is a 'service' and a 'company'; only one of them can be meant")
        }
        guard let part = service ?? company else { return nil }
        self = part
    }
}
