// Two sessions, one of each compared flow, and the differences between them.

struct ComparedPair {
    private typealias Answer = Result<Outcome, Refusal>

    private let left: Visit
    private let right: Visit

    init(_ left: Visit, _ right: Visit) {
        (self.left, self.right) = (left, right)
    }

    enum Answered {
        /// Both have taken it, or time has passed in both.
        case taken
        /// Both have refused it, so nothing has changed.
        case refused
        case differently(String)
    }

    // MARK: Moving

    func make(_ move: ComparedMove) -> Answered {
        switch move {
        case .event(let event): return send(event)
        case .wait, .linger:
            guard let time = time(of: move) else { break }
            left.advance(by: time)
            right.advance(by: time)
        case .timer(let name):
            let milestones = left.running.last { $0.plan.name == name }?.milestonesToCome.count ?? 0
            left.fire(name, milestones)
            right.fire(name, milestones)
        }
        return .taken
    }

    private func send(_ event: ComparedEvent) -> Answered {
        let (ours, theirs) = (Self.send(event, to: left), Self.send(event, to: right))
        guard ours.summary == theirs.summary else {
            return .differently("\(words(ours, left)) against \(words(theirs, right))")
        }
        if case .failure = ours { return .refused }
        return .taken
    }

    private static func send(_ event: ComparedEvent, to visit: Visit) -> Answer {
        Result { () throws(Refusal) in try visit.send(event.name, event.payload, from: event.source) }
    }

    private func words(_ answer: Answer, _ visit: Visit) -> String {
        switch answer {
        case .success(.taken), .success(.queued), .success(.waiting): "'\(visit.machine.stateName)'"
        case .success(.postponed): "postponed"
        case .success(.ignored): "ignored"
        case .failure(let refusal): "refused with \(refusal.code) (\(refusal))"
        }
    }

    // MARK: Comparing

    var state: (left: String, right: String) { (left.machine.stateName, right.machine.stateName) }

    /// Tells this pair of states from others of their names: their data, and which timers fire in which order.
    func variant() throws -> String {
        try [left, right].map { visit in
            let timers = visit.running.sorted { ($0.remaining ?? .zero, $0.plan.name) < ($1.remaining ?? .zero, $1.plan.name) }
            let names = timers.map { $0.plan.name + "\($0.milestonesToCome.count)" + ($0.isPaused ? "!" : "") }
            return
                "\(visit.machine.stateName) \(try visit.machine.stateData().withoutTimers) \(names) \(visit.machine.isFrozen)"
        }
        .joined(separator: "\n")
    }

    var isFinal: Bool { left.machine.isFinal && right.machine.isFinal }

    /// The names of the events that have a transition now.
    var acceptedEvents: Set<String> { Set(left.machine.acceptedEvents.map(\.name)) }

    /// Whether time leads on.
    var canWait: Bool { left.untilNextTimer != nil }

    /// The timers besides those that fire next anyway.
    var laterTimers: [String] {
        let next = left.untilNextTimer
        return left.running.filter { !$0.isPaused && $0.leftUntilNextFiring != next }.map(\.plan.name)
    }

    /// The first thing in which the two sessions differ.
    func difference() throws -> String? {
        guard state.left == state.right else { return "'\(state.left)' against '\(state.right)'" }
        let isFinal = (left.machine.isFinal, right.machine.isFinal)
        guard isFinal.0 == isFinal.1 else {
            return "'\(state.left)' is \(isFinal.0 ? "final against not" : "not final against") final"
        }
        return try differenceOfEvents() ?? differenceOfTimers() ?? differenceOfData()
    }

    private func differenceOfEvents() -> String? {
        let (ours, theirs) = (Self.events(left), Self.events(right))
        guard ours != theirs else { return nil }
        return "in '\(state.left)', it accepts \(Self.list(ours)) against \(Self.list(theirs))"
    }

    private static func events(_ visit: Visit) -> [String] {
        visit.machine.acceptedEvents.filter(\.isForClients).map(\.name).sorted()
    }

    private func differenceOfTimers() -> String? {
        let (ours, theirs) = (Self.timers(left), Self.timers(right))
        guard ours != theirs else { return nil }
        let (only, others) = (ours.filter { !theirs.contains($0) }, theirs.filter { !ours.contains($0) })
        return "in '\(state.left)', \(Self.list(only)) against \(Self.list(others))"
    }

    private static func timers(_ visit: Visit) -> [String] {
        visit.running.map { timer in
            let kind: TimerPlan.Kind = timer is Pendulum ? .pendulum : .countdown
            let paused = timer.isPaused || visit.machine.isFrozen ? ", paused" : ""
            return "the \(kind.rawValue) '\(timer.plan.name)' with \((timer.remaining ?? .zero).written) left\(paused)"
        }
        .sorted()
    }

    private func differenceOfData() throws -> String? {
        let (ours, theirs) = (try left.machine.stateData(), try right.machine.stateData())
        return SharedData(of: ours).difference(from: SharedData(of: theirs)).map { "in '\(state.left)', \($0)" }
    }

    private static func list(_ names: [String]) -> String { names.isEmpty ? "nothing" : names.joined(separator: ", ") }

    /// How long a move takes, if it is a matter of time alone.
    func time(of move: ComparedMove) -> Duration? {
        switch move {
        case .wait: left.untilNextTimer
        case .linger: left.untilNextTimer.map { $0 / 2 }
        case .event, .timer: nil
        }
    }
}

extension Result where Success == Outcome, Failure == Refusal {
    /// The part that must be the same in both: a refusal's code, or the outcome of any other result.
    fileprivate var summary: String {
        switch self {
        case .success(let outcome): "\(outcome)"
        case .failure(let refusal): refusal.code.text
        }
    }
}

// MARK: - A move that both of the compared flows make

enum ComparedMove {
    case event(ComparedEvent)
    /// Time passes until the next timer fires.
    case wait
    /// Half of that time passes.
    case linger
    /// Time passes until this timer fires, and the others are paused.
    case timer(String)
}

/// An event with one payload to try.
struct ComparedEvent: CustomStringConvertible {
    let name: String
    let payload: JSON?
    let source: EventSource

    var description: String { payload.map { "\(name) \($0)" } ?? name }

    /// Every event that others than timers may send, by either flow, with every payload to try.
    static func all(of left: FlowKind, _ right: FlowKind) -> [ComparedEvent] {
        let payloads = (left.facts.payloads, right.facts.payloads)
        return (left.eventNames + right.eventNames).withoutRepeats.flatMap { name in
            let carried = [(left, payloads.0), (right, payloads.1)].flatMap { kind, payloads in
                kind.index(ofEvent: name).map { payloads[$0] } ?? []
            }
            return events(
                named: name, [left, right].compactMap { kind in kind.index(ofEvent: name).map { kind.events[$0] } }, carried)
        }
    }

    /// `carried` are the payloads of the samples in the flows' catalogues.
    private static func events(named name: String, _ declared: [AcceptedEvent], _ carried: [JSON]) -> [ComparedEvent] {
        guard let source = source(of: declared) else { return [] }
        let samples: [JSON?] = declared.contains { $0.payload != nil } ? carried : []
        let payloads = payloads(of: declared) + samples
        return payloads.withoutRepeats.map { ComparedEvent(name: name, payload: $0, source: source) }
    }

    /// Nil where only timers send it.
    private static func source(of declared: [AcceptedEvent]) -> EventSource? {
        let common = declared.reduce(EventSources.anyone) { $0.intersection($1.sources) }
        let either = declared.reduce(EventSources()) { $0.union($1.sources) }
        let others = EventSource.allCases.filter { $0 != .timer }
        return others.first(where: common.contains) ?? others.first(where: either.contains)
    }

    /// Payloads that must be refused are tried if both flows declare the event's payload.
    private static func payloads(of declared: [AcceptedEvent]) -> [JSON?] {
        let kinds = declared.compactMap(\.payload)
        guard !kinds.isEmpty else { return [nil] }
        let names = differentFields(of: kinds)
        let refused = kinds.count == 2 ? kinds.flatMap { $0.refusedPayloads(atMost: maxPayloads(of: $0), varying: names) } : []
        return kinds.flatMap { $0.samplePayloads(atMost: maxPayloads(of: $0), varying: names) } + refused
    }

    /// The fields that only one of the payloads has, or that have different declarations: the flows may differ there.
    private static func differentFields(of kinds: [PayloadKind]) -> Set<String> {
        let declarations = Dictionary(grouping: kinds.flatMap(\.fields), by: \.name)
        return Set(declarations.filter { $1.count != kinds.count || $1.first != $1.last }.keys)
    }

    /// Whether there are more payloads than are tried.
    static func areTooMany(of kind: PayloadKind) -> Bool {
        let max = maxPayloads(of: kind)
        return kind.samplePayloads(atMost: max + 1).count > max || kind.refusedPayloads(atMost: max + 1).count > max
    }

    /// Each payload has all fields, and is tried at each place of the walk: of many fields, fewer payloads are made.
    private static func maxPayloads(of kind: PayloadKind) -> Int { max(12, 4_096 / max(1, kind.fields.count)) }
}

// MARK: - Compares what two flows' states carry, as far as both carry it.

/// The values in a state's data by the dotted paths of their names; timers are left out.
///
/// Two flows rarely arrange their data alike: one has `play.seconds` where the other has `seconds`. So it compares values at the same path and, of
/// the rest, those with a last name that occurs once on either side. A value that only one flow has is not compared.
struct SharedData {
    private var leaves: [(path: String, value: JSON)] = []

    init(of data: JSON) {
        collect(data.withoutTimers, at: "")
    }

    private mutating func collect(_ value: JSON, at path: String) {
        guard case .object(let members) = value else { return leaves.append((path, value)) }
        for member in members { collect(member.value, at: path.isEmpty ? member.name : "\(path).\(member.name)") }
    }

    /// The first value that both have and that differs: `episode is 1 against 2`.
    func difference(from other: SharedData) -> String? {
        for leaf in leaves {
            guard let theirs = other.leaves.first(where: { $0.path == leaf.path }) ?? namesake(of: leaf.path, in: other) else {
                continue
            }
            guard !leaf.value.means(theirs.value) else { continue }
            return "\(leaf.path) is \(leaf.value) against \(theirs.path == leaf.path ? "" : "\(theirs.path) ")\(theirs.value)"
        }
        return nil
    }

    private func namesake(of path: String, in other: SharedData) -> (path: String, value: JSON)? {
        let name = Self.lastName(of: path)
        let (ours, theirs) = (leaves(named: name), other.leaves(named: name))
        return ours.count == 1 && theirs.count == 1 ? theirs[0] : nil
    }

    private func leaves(named name: Substring) -> [(path: String, value: JSON)] {
        leaves.filter { Self.lastName(of: $0.path) == name }
    }

    private static func lastName(of path: String) -> Substring { path.split(separator: ".").last ?? "" }
}
