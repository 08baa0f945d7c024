// Events that actions raise, emit and send, at once or later, and take back.

import JSON

/// Events that are raised or sent later, and those that are cancelled.
struct DelayedEvents {
    /// Ids, and the names of events without one.
    var names: Set<String> = []
    /// The events that are raised or sent later, each of which a timer of the session sends.
    var events: Set<String> = []
    var cancels: [(name: String, offset: Int)] = []
    /// Whether anything is sent to another session, which can fail.
    var hasSent = false
}

extension ChartReader {
    /// A text, or an object.
    func sentEvent(_ value: LocatedJSON, _ verb: String, of state: Int) -> (event: EventToSend, session: Template?)? {
        if value.text != nil {
            return name(ofSent: value, verb).map { name in
                let sent = EventToSend(event: name)
                if verb == "raise" { warnOfMissingFields(of: sent, at: value.offset) }
                return (sent, nil)
            }
        }
        guard value.members != nil else {
            problems.wrong(
                value, "'\(verb)' has an event's name, or an object { event, data\(verb == "emit" ? "" : ", delay, id") }")
            return nil
        }
        let fields = problems.fields(value, SentEventKey.self, "'\(verb)'")
        if verb == "send" { delayed.hasSent = true }
        reportUnexpectedMembers(in: fields, verb)
        guard let event = fields.value(.event) else {
            problems.missing(from: fields, "'\(verb)' needs an event: { event: \"tick\" }")
            return nil
        }
        let name = name(ofSent: event, verb)
        var sent = EventToSend(event: name ?? "")
        sent.data = fields.value(.data).map { formula($0, of: state) }
        if verb == "raise" { warnOfMissingFields(of: sent, at: event.offset) }
        sent.delay = fields.value(.delay).flatMap { length($0, "'delay'", of: state) }
        // The delayed event's timer is called so.
        sent.id = fields.value(.id).flatMap { problems.name($0, "an 'id'", NameRules.complaint(aboutId:)) }
        let session = fields.value(.session).flatMap { template($0, "a session's name", of: state) }
        if fields.has(.delay) { delayed.events.insert(verb == "send" ? Platform.sent(sent.event) : sent.event) }
        if let later = sent.id ?? (fields.has(.delay) ? sent.event : nil) { delayed.names.insert(later) }
        return name == nil ? nil : (sent, session)
    }

    private func name(ofSent value: LocatedJSON, _ verb: String) -> String? {
        guard let name = problems.text(value, "the event of '\(verb)'") else { return nil }
        if let complaint = NameRules.complaint(aboutEvent: name) {
            problems.error(value.offset, complaint)
            return nil
        }
        if verb == "raise" { events.mentions.append((.exact(name), value.offset)) }
        return name
    }

    /// Only what clients send is checked against the catalogue when it comes.
    private func warnOfMissingFields(of raised: EventToSend, at offset: Int) {
        guard let payload = events.numbers[raised.event].flatMap({ events.entries[$0].payload }) else { return }
        let given: [String]
        switch raised.data {
        case nil: given = []
        case .constant(.object(let members)): given = members.map(\.name)
        case .object(let members): given = members.map(\.name)
        case .constant, .expression, .array: return
        }
        let fields = payload.shape == .object ? payload.fields : [payload]
        guard let missing = fields.first(where: { !$0.isOptional && !given.contains($0.name) }) else { return }
        problems.warning(
            offset,
            "\(raised.event.quoted) is raised without \(missing.name.quoted), which is nil then; "
                + "give it one: data: { \(missing.name): … }")
    }

    private func reportUnexpectedMembers(in fields: Fields<SentEventKey>, _ verb: String) {
        if verb != "send", let session = fields[.session] {
            problems.error(
                session.offset, "'\(verb)' has no session; an event for another session is sent: send: { session, event }")
        }
        guard verb == "emit" else { return }
        for key in [SentEventKey.delay, .id] {
            guard let member = fields[key] else { continue }
            problems.error(
                member.offset,
                "an emitted event is sent at once, and has no '\(key.rawValue)'; raise an event later, and emit when it comes")
        }
    }

    func send(_ value: LocatedJSON, of state: Int) -> [ChartAction] {
        guard let members = value.members else {
            problems.wrong(
                value, "'send' is an object, { session: \"name\", event: \"start\" }; an event of the chart's own is raised")
            return []
        }
        // An unknown key was probably meant, and is reported.
        let keys = members.map { SentEventKey(rawValue: $0.name) }
        if !keys.contains(.session), !keys.contains(nil) {
            problems.error(
                value.offset,
                "'send' needs a session: { session: \"name\", event: \"start\" }; an event of the chart's own is raised")
        }
        guard let sent = sentEvent(value, "send", of: state), let session = sent.session else { return [] }
        return [.send(sent.event, to: session)]
    }

    // MARK: Taking back

    func cancel(_ value: LocatedJSON) -> [ChartAction] {
        guard let id = problems.text(value, "'cancel' is the id of what was raised or sent later, or its event's name; it")
        else { return [] }
        delayed.cancels.append((id, value.offset))
        return [.cancel(id: id)]
    }

    func checkCancels() {
        for cancel in delayed.cancels where !delayed.names.contains(cancel.name) {
            let names = delayed.names.sorted()
            let advice = names.isEmpty ? "this flow raises and sends nothing later" : names.nearest(to: cancel.name)
            problems.error(cancel.offset, "nothing is raised or sent later as \(cancel.name.quoted); \(advice)")
        }
    }
}
