// The stored facts of a refusal: a JSON object. Its events are names, which stay valid if the flow changes.

extension RefusalFacts {
    private enum Key {
        static let (accepted, reason, sentence, problem, byte) = ("accepted", "reason", "sentence", "problem", "byte")
        static let (payload, value, format, skipping) = ("payload", "value", "format", "skipping")
        static let (veto, limit, stale, withdrawn, milliseconds) = ("veto", "limit", "stale", "withdrawn", "ms")
    }

    private enum Word {
        static let (notValid, unknownEvent, notAllowed) = ("not valid", "unknown event", "not allowed")
        static let (dropped, forced, moved) = ("dropped", "forced", "moved")
        static let (timedOut, timerEnded) = ("timeout", "timer ended")
    }

    /// The object. The events of a mask have no names here.
    package var json: String { object.description }

    private var object: JSON {
        switch self {
        case .notValid(let names?): [Key.accepted: .array(names.map { .string($0) })]
        case .notValid(nil), .notValidMask: [Key.reason: .string(Word.notValid)]
        case .unknownEvent: [Key.reason: .string(Word.unknownEvent)]
        case .notAllowed: [Key.reason: .string(Word.notAllowed)]
        case .notJSON(let error): [Key.problem: .string(error.problem), Key.byte: .integer(error.offset)]
        case .badPayload(let problem): [Key.payload: problem.json]
        case .unreadableValue(let value, let format, let skipping):
            [Key.value: .string(value), Key.format: .string(format), Key.skipping: .integer(skipping)]
        case .vetoed(let message): [Key.veto: .string(message)]
        case .overLimit(let limit): [Key.limit: limit.json]
        case .stale(let stale): [Key.stale: stale.json]
        case .withdrawn(.dropped): [Key.withdrawn: .string(Word.dropped)]
        case .withdrawn(.forced): [Key.withdrawn: .string(Word.forced)]
        case .withdrawn(.moved): [Key.withdrawn: .string(Word.moved)]
        case .withdrawn(.timedOut(let limit)):
            [Key.withdrawn: .string(Word.timedOut), Key.milliseconds: .integer(limit)]
        case .withdrawn(.timerEnded): [Key.withdrawn: .string(Word.timerEnded)]
        case .message(let message): [Key.sentence: .string(message)]
        }
    }

    /// Unreadable JSON, which only an edit leaves, becomes an empty message.
    package init(json: String) {
        self = (try? JSON(parsing: json)).flatMap(RefusalFacts.init) ?? .message("")
    }

    private init?(_ json: JSON) {
        if case .array(let names)? = json[Key.accepted] {
            self = .notValid(accepted: names.compactMap(\.text))
        } else if let reason = json[Key.reason]?.text {
            self = Self.refusal(for: reason)
        } else if let problem = json[Key.problem]?.text, let byte = json[Key.byte]?.integer {
            self = .notJSON(JSONError(at: byte, problem))
        } else if let problem = json[Key.payload].flatMap(PayloadProblem.init) {
            self = .badPayload(problem)
        } else if let value = json[Key.value]?.text, let format = json[Key.format]?.text {
            self = .unreadableValue(value, format: format, skipping: json[Key.skipping]?.integer ?? 0)
        } else if let message = json[Key.veto]?.text {
            self = .vetoed(message)
        } else if let limit = json[Key.limit].flatMap(EventLimit.init) {
            self = .overLimit(limit)
        } else if let stale = json[Key.stale].flatMap(StaleVersion.init) {
            self = .stale(stale)
        } else if let word = json[Key.withdrawn]?.text {
            self = .withdrawn(Self.withdrawal(word, json[Key.milliseconds]?.integer ?? 0))
        } else if let message = json[Key.sentence]?.text {
            self = .message(message)
        } else {
            return nil
        }
    }

    private static func refusal(for reason: String) -> RefusalFacts {
        switch reason {
        case Word.notAllowed: .notAllowed
        case Word.notValid: .notValid(accepted: nil)
        default: .unknownEvent
        }
    }

    private static func withdrawal(_ word: String, _ milliseconds: Int) -> EventWithdrawal {
        switch word {
        case Word.dropped: .dropped
        case Word.forced: .forced
        case Word.moved: .moved
        case Word.timerEnded: .timerEnded
        default: .timedOut(milliseconds: milliseconds)
        }
    }
}

extension PayloadProblem {
    private enum Key {
        static let (carrier, name, type, allowed) = ("of", "name", "type", "allowed")
        static let (member, given) = ("member", "given")
    }

    fileprivate var json: JSON {
        .object(having: [
            Key.carrier: carrier.map { .string($0) }, Key.name: .string(name),
            Key.type: shape.map { .string($0.rawValue) },
            Key.allowed: allowed.map { .string($0) }, Key.member: member.map { .string($0) },
            Key.given: given.map { .string($0) },
        ])
    }

    fileprivate init?(_ json: JSON) {
        guard let name = json[Key.name]?.text else { return nil }
        self.init(
            carrier: json[Key.carrier]?.text, name: name, shape: json[Key.type]?.text.flatMap(PayloadKind.Shape.init),
            allowed: json[Key.allowed]?.text, member: json[Key.member]?.text, given: json[Key.given]?.text)
    }
}

extension EventLimit {
    private enum Key {
        static let (kind, max, held, added, from, to) = ("of", "max", "held", "added", "from", "to")
    }

    fileprivate var json: JSON {
        .object(having: [
            Key.kind: .string(kind.rawValue), Key.max: .integer(max), Key.held: held == 0 ? nil : .integer(held),
            Key.added: added == 0 ? nil : .integer(added), Key.from: from.map { .string($0) },
            Key.to: to.map { .string($0) },
        ])
    }

    fileprivate init?(_ json: JSON) {
        guard let kind = json[Key.kind]?.text.flatMap(Kind.init), let max = json[Key.max]?.integer else { return nil }
        self.init(
            kind: kind, max: max, held: json[Key.held]?.integer ?? 0, added: json[Key.added]?.integer ?? 0,
            from: json[Key.from]?.text, to: json[Key.to]?.text)
    }
}

extension StaleVersion {
    private enum Key {
        static let (session, version, seen, life, seenLife) = ("session", "version", "seen", "life", "seen_life")
    }

    fileprivate var json: JSON {
        .object(having: [
            Key.session: .string(session), Key.version: .integer(version), Key.seen: .integer(seen),
            Key.life: life.map { .integer($0) }, Key.seenLife: seenLife.map { .integer($0) },
        ])
    }

    fileprivate init?(_ json: JSON) {
        guard let version = json[Key.version]?.integer, let seen = json[Key.seen]?.integer else { return nil }
        self.init(
            of: json[Key.session]?.text ?? "", version: version, seen: seen, life: json[Key.life]?.integer,
            seenLife: json[Key.seenLife]?.integer)
    }
}
