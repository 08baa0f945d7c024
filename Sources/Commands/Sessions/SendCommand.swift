// SEND: sends an event to a session.

import GameFlow
import Memory
import RESP
import Sessions
import Texts

extension Command {
    package static let send = Command(
        name: "SEND", group: .sessions, needs: .plays(.session),
        summary:
            "Sends an event, with JSON or a bare word or number. Replies with the state after it, or with POSTPONED or IGNORED and the state.",
        details: """
            POSTPONED and the state: the event waits until the state changes (VIEW lists such events, and WITHDRAW \
            withdraws one). IGNORED and the state: the flow ignores the event there. An event that is not valid in the state \
            is refused with NOTRANSITION and the valid events; one with a wrong payload, with BADEVENT; one that a rule of \
            the flow forbids, with VETOED. An event that the flow takes only from orchestrators is sent after CLIENT SOURCE \
            orchestrator. A refused event changes nothing. The payload is UTF-8, with at most payload-bytes \
            bytes (a limit). With IF and the version from STATE or a message, it is refused with STALE if the session has \
            changed since, except by a timer after which it was in the same state, also if it entered that state again; IF \
            life:version also detects a session that was dropped and created again. The reply to an event that waits for a \
            flow's hook arrives when the hook has decided, or is TIMEOUT after hook-ms (a limit), which withdraws the event. \
            With ID, a SEND can be repeated safely: while the session remembers the id, its sender gets the first reply \
            again, a refusal too, and nothing changes. An id \
            has 1 to 64 printable characters; it belongs to the sender and to the session's life. With another event or \
            payload it is an error. A session remembers the last 64 ids (the limit ids, and 16 KiB), also after restarts. \
            The payload precedes IF and ID, which can be in either order.
            """,
        examples: [
            "SEND room startPlaying", "SEND room chooseEpisode 3", #"SEND room chooseEpisode '{"episode":3}'"#,
            "SEND room chooseEpisode 3 IF 17", "SEND room chooseEpisode 3 ID 8e03978e-40d5",
        ],
        flags: [.changes], longWord: 3, Form(SendRequest.self))
}

/// An event for a session. Its names are views, so that a request from the wire allocates nothing; the caller keeps them valid until it is carried
/// out.
package struct SendRequest: CommandRequest {
    let name: Argument
    let event: Argument
    let payload: SentPayload
    let condition: VersionCondition?
    let id: Argument?

    package static let form = CommandForm(
        .required("session", .view), .required("event", .view, "the event's name"),
        .optional("payload", .payload, "the event's payload"),
        .condition, .optional(keyword: "ID", "id", .eventID)
    ) { SendRequest(name: $0, event: $1, payload: $2.map(SentPayload.word) ?? .none, condition: $3, id: $4) }
    package static var command: Command { .send }
    package var session: ByteString? { ByteString(name.bytes) }

    /// The usual requests are read without the list of parameters.
    package static var action: Command.Action {
        { call throws(CommandError) in
            let words = call.arguments
            guard words.count <= 4 else { return try call.execute(Self.self) }
            call.deliver(try SendRequest(usual: words).answer(to: call))
        }
    }

    @inline(__always)
    package func answer(to call: Call) throws(CommandError) -> CommandAnswer<SendReply> {
        let session = try call.unmarkedSession(name)
        guard let id = id else {
            // A counted reference to the machine would cost more than the checks.
            return try session.withMachine { machine in
                Result { () throws(CommandError) in try call.send(self, to: session, machine) }
            }.get()
        }
        return try call.send(self, to: session, session.machine, once: EventID(id.repairedText, of: call.client.idOwner))
    }
}

extension SendRequest {
    /// The common form, three words or four; the caller has checked their number. The list of parameters reads them alike.
    @inline(__always)
    init(usual words: Words) {
        let payload = words.count == 4 ? SentPayload.word(words[3]) : .none
        self.init(name: words[1], event: words[2], payload: payload, condition: nil, id: nil)
    }
}

extension CommandParameter<VersionCondition?> {
    fileprivate static let condition = CommandParameter.optional(
        keyword: "IF", "version", .version,
        "the expected version, or life:version; with any other, the event is refused")
}

extension SendRequest {
    /// The form's members of a JSON object, and an id. The request is valid while `body` runs.
    package static func with(
        session: String, _ json: JSON, id: String?, within limits: Limits, _ body: (SendRequest) -> Void
    ) throws(CommandError) {
        let payload = json["payload"].flatMap { $0 == .null ? nil : $0 }
        let condition = try CommandParameter.condition.readJSON(json, limits)
        try with(session: session, event: json["event"]?.text ?? "", payload: payload, condition: condition, id: id, body)
    }

    /// For callers within the process that have names as texts: the request is valid while `body` runs.
    package static func with(
        session: String, event: String, payload: JSON? = nil, condition: VersionCondition? = nil, id: String? = nil,
        _ body: (SendRequest) -> Void
    ) throws(CommandError) {
        if let id { try EventID.check(id) }
        let value = payload.map(SentJSON.init)
        session.withView { name in
            event.withView { event in
                (id ?? "").withView { view in
                    let payload = value.map { SentPayload.value(Borrowed($0)) } ?? .none
                    let id = id == nil ? nil : view
                    body(SendRequest(name: name, event: event, payload: payload, condition: condition, id: id))
                }
            }
        }
        withExtendedLifetime(value) {}
    }
}

extension EventID {
    static func check(_ id: String) throws(CommandError) {
        guard (1...maxLength).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw CommandError(
                .generic, "an id has 1 to \(maxLength) printable ASCII characters and no blanks, not '\(id.shortened)'")
        }
    }
}

extension WordParser<Argument> {
    fileprivate static let eventID = WordParser(type: .text) { word, _ throws(CommandError) in
        try EventID.check(word.repairedText)
        return word
    }
}

/// The state after an event.
package enum SendReply: ReplyValue {
    /// The flow has its name in this memory.
    case known(UnsafeRawBufferPointer)
    case named(String)

    var text: String {
        switch self {
        case .known(let bytes): String(decoding: bytes, as: UTF8.self)
        case .named(let text): text
        }
    }

    package consuming func write(to reply: ReplyBuffer) {
        switch self {
        case .known(let bytes): reply.append(simple: bytes)
        case .named(let state): reply.append(simple: state)
        }
    }
}

extension Call {
    /// Sends the event; `id` is remembered by the machine if the event must wait.
    @inline(__always)
    fileprivate func send(
        _ request: SendRequest, to session: Session, _ machine: AnyMachine, id: EventID? = nil
    ) throws(CommandError) -> CommandAnswer<SendReply> {
        guard let event = machine.kind.index(ofEvent: request.event.bytes) else {
            let refused = Refused(event: request.event.repairedText, .unknownEvent)
            throw refusal(refused, of: HistoryEntry.Cause.none, in: request, by: session)
        }
        if let stale = request.condition?.stale(session) {
            let refused = Refused(event: machine.kind.eventNames[event], .stale(stale))
            throw refusal(refused, of: UInt16(event), in: request, by: session)
        }
        let payload: Payload?
        do throws(RefusalFacts) {
            payload = request.payload.isNone ? nil : try request.payload.read(atMost: host.limits.payloadBytes)
        } catch {
            let refused = Refused(event: machine.kind.eventNames[event], error)
            throw refusal(refused, of: UInt16(event), in: request, by: session)
        }
        let outcome: Outcome
        do throws(Refusal) {
            outcome = try machine.send(at: event, payload: payload, from: source, by: actor)
        } catch {
            throw refusal(error, of: UInt16(event), in: request, carrying: payload, by: session)
        }
        switch outcome {
        case .postponed, .ignored: return .now(.named(outcome.reply(in: machine.stateName)))
        case .taken:
            return .now(machine.kind.stateText(at: machine.stateIndex).map(SendReply.known) ?? .named(machine.stateName))
        case .waiting, .queued:
            return .later(waitForDecision(of: machine, outcome, id))
        }
    }

    /// The answer comes once the event is decided that `machine` has just been sent.
    private func waitForDecision(of machine: AnyMachine, _ outcome: Outcome, _ id: EventID?) -> PendingValue<SendReply> {
        let answer = PendingValue<SendReply>()
        let receipt = EventReceipt(of: id) { [weak answer, weak machine] decision in
            if let id { machine?.decide(id, decision) }
            answer?.complete(
                with: decision.map { .named($0.reply(in: machine?.stateName ?? "")) }.mapError {
                    CommandError($0.code, $0.description)
                })
        }
        machine.attach(receipt, toEventWith: outcome)
        // A step that waits for its own hooks is limited already.
        if outcome == .queued { limit(receipt, of: machine) }
        return answer
    }

    /// Withdraws an event that waits behind others if it is not decided in time, also if its client is gone by then.
    private func limit(_ receipt: EventReceipt, of machine: AnyMachine) {
        let milliseconds = host.limits.hookMilliseconds
        receipt.deadline = host.turns?.schedule(after: milliseconds) { [weak machine, weak receipt] in
            if let receipt { machine?.withdraw(receipt, after: .milliseconds(milliseconds)) }
        }
    }

    // MARK: Ids

    /// Sends an event with an id. An id that the session remembers changes nothing: the sender gets the first answer again.
    fileprivate func send(
        _ request: SendRequest, to session: Session, _ machine: AnyMachine, once id: EventID
    ) throws(CommandError) -> CommandAnswer<SendReply> {
        let fingerprint = request.fingerprint(ofBytes: host.limits.payloadBytes)
        if let known = machine.sent?.find(id) { return .now(try repeatAnswer(to: known, fingerprint)) }
        do throws(CommandError) {
            let answer = try send(request, to: session, machine, id: id)
            if case .now(let reply) = answer {
                remember(id, fingerprint, .state(reply.text.asLine), by: machine)
            } else {
                remember(id, fingerprint, nil, by: machine)
            }
            return answer
        } catch {
            let facts = error.facts.map { SentFacts(accepted: $0.accepted, timer: $0.timer) }
            remember(id, fingerprint, .refused(error.code, sentence(of: error).asLine), facts, by: machine)
            throw error
        }
    }

    private func remember(
        _ id: EventID, _ fingerprint: UInt64, _ answer: SentAnswer?, _ facts: SentFacts? = nil, by machine: AnyMachine
    ) {
        machine.remember(SentEvent(id, fingerprint: fingerprint, answer: answer, facts: facts), atMost: host.limits.ids)
        host.sessions.recordImage(of: machine)
    }

    private func repeatAnswer(to event: SentEvent, _ fingerprint: UInt64) throws(CommandError) -> SendReply {
        guard event.fingerprint == fingerprint else {
            throw CommandError(
                .generic, "the id '\(event.id.id)' belongs to another event or payload; give each event its own id")
        }
        switch event.answer {
        case .state(let state): return .named(state)
        case .refused(let code, let sentence):
            throw CommandError(code, sentence, event.facts.map { RefusedEventFacts(accepted: $0.accepted, timer: $0.timer) })
        case nil:
            throw CommandError(.busy, "the event with the id '\(event.id.id)' still waits for a hook; try again in a moment")
        }
    }
}

extension SendRequest {
    /// FNV-1a of the event's name and its payload, as they were sent.
    fileprivate func fingerprint(ofBytes most: Int) -> UInt64 {
        var hash = FNV1a(event.bytes)
        payload.withBytes { bytes in
            hash.add(0)
            hash.add(UnsafeRawBufferPointer(rebasing: bytes.prefix(most)))
            if bytes.count > most { withUnsafeBytes(of: bytes.count) { hash.add($0) } }
        }
        return hash.value
    }
}

// MARK: - IF version: an event that is meant for the session as its sender has seen it.

/// `17`, or `3:17` with the session's life: what a sender has seen of a session.
package struct VersionCondition {
    private let seen: NumberInLife

    package init(_ text: String) throws(CommandError) {
        guard let seen = NumberInLife(text) else {
            throw CommandError(
                .generic, "'\(text.shortened)' is not a version; STATE shows it: 17, or 3:17 with the session's life")
        }
        self.seen = seen
    }

    /// The versions, if the session has changed since the sender has seen it. Timers that stayed in their state do not count: a clock that ticks
    /// each second would otherwise refuse every honest tap.
    func stale(_ session: Session) -> StaleVersion? {
        let (now, version) = (session.machine.version, seen.number)
        if let life = seen.life, life != session.life {
            return StaleVersion(
                of: session.name, version: Int(now), seen: Int(version), life: Int(session.life), seenLife: Int(life))
        }
        guard !session.isAsSeen(at: version) else { return nil }
        return StaleVersion(of: session.name, version: Int(now), seen: Int(version))
    }
}

extension WordParser<VersionCondition> {
    /// `17`, or `3:17` with the session's life.
    static let version = WordParser(type: .version, text: VersionCondition.init)
}
