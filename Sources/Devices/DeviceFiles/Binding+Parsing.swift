// Reads one event of a device from the device file.

import GameFlow
import Texts

extension Binding {
    private enum Word: String, CaseIterable {
        case notification, indication, advertisement, connect, disconnect
    }

    /// Nil if something is wrong; the problems are reported.
    init?(_ json: JSON, of values: [NamedValue], at location: String, _ problems: Problems) {
        let fields = FieldReader(json, at: location, problems)
        let before = problems.sentences.count
        defer { fields.finish() }
        let word = fields.required("on", like: "\"notification\"", Self.word)
        let session = fields.required("session", like: "\"main\"", FieldValue.text)
        let event = fields.required("event", like: "\"pass\"", FieldValue.text)
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
            throw FieldProblem("'\(json.description.shortened)' is not something a device does; available: \(words)")
        }
        return word
    }

    private static func trigger(_ word: Word, _ fields: FieldReader) -> Trigger? {
        switch word {
        case .connect: .connected
        case .disconnect: .disconnected
        case .advertisement: .advertised(AdvertisedPart(fields) ?? .anything)
        case .notification, .indication:
            fields.required("attribute", like: "\"0x002A\"", FieldValue.attribute)
                .map { .value($0, onlyIndications: word == .indication) }
        }
    }

    /// Whether the trigger has a value, for a pattern and a payload.
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
        let given = fields.optional("payload") { json throws(FieldProblem) in json }
        let constant = given == .null ? nil : given
        guard hasValue(trigger) else { return constant.map { .constant($0) } ?? .nothing }
        let format = fields.optional("payloadFrom", FieldValue.format)
        let skip = fields.optional("skip", FieldValue.count)
        let field = fields.optional("field", FieldValue.text)
        if constant != nil, fields.has("payloadFrom") {
            fields.problems.record(
                at: fields.location, "'payload' and 'payloadFrom' cannot be combined; an event has one payload")
        }
        if !fields.has("payloadFrom"), fields.has("skip") || fields.has("field") {
            fields.problems.record(at: fields.location, "'skip' and 'field' belong to 'payloadFrom', which is missing")
        }
        if let format { return .read(format, skip: skip ?? 0, field: field) }
        return constant.map { .constant($0) } ?? .nothing
    }
}

extension AdvertisedPart {
    /// From `service` or `company`; nil if both are missing.
    init?(_ fields: FieldReader) {
        let service = fields.optional("service", FieldValue.service)
        let company = fields.optional("company", FieldValue.company)
        if service != nil, company != nil {
            fields.problems.record(at: fields.location, "'service' and 'company' cannot be combined")
        }
        guard let part = service ?? company else { return nil }
        self = part
    }
}
