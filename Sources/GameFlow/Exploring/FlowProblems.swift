// Finds entries that a flow's lists lack, or that contradict them: mistakes that would otherwise show only at a restart. It inspects the flow's types
// and explores it in virtual time, when the flow is registered and when it is tested.

/// The problems of a flow: a sentence each, which names the entry to add and its place.
public struct FlowProblems: Error, CustomStringConvertible {
    /// The flow's name.
    public let flow: String
    /// A sentence for each problem; at least one.
    public let sentences: [String]

    public var description: String {
        sentences.count == 1
            ? "the flow '\(flow)' cannot be hosted: \(sentences[0])"
            : "the flow '\(flow)' cannot be hosted:" + sentences.map { "\n  \($0)" }.joined()
    }
}

extension FlowKind {
    /// Bounds of the exploration, which find the problems of larger flows too.
    private static let (maxVariants, maxMoves) = (10, 3_000)

    /// Throws unless the flow's lists are complete and right, as far as exploring shows. It has no side effects: hooks and work do not
    /// run. Returns warnings: what exploring has not found, where it could not try everything.
    @discardableResult
    public final func check() throws(FlowProblems) -> [String] {
        let (problems, warnings) = findings()
        guard problems.isEmpty else { throw FlowProblems(flow: name, sentences: problems) }
        return warnings
    }

    /// Checks all flows that a daemon hosts, and that their names differ. Built-in flows are checked by their tests. Returns warnings, with the
    /// names of their flows.
    @discardableResult
    public static func check(_ kinds: [FlowKind]) throws(FlowProblems) -> [String] {
        var (names, warnings): (Set<String>, [String]) = ([], [])
        for kind in kinds {
            guard names.insert(kind.name).inserted else {
                throw FlowProblems(flow: kind.name, sentences: ["there are two flows of that name: rename one of them"])
            }
            if kind.isTested { continue }
            warnings += try kind.check().map { "the flow '\(kind.name)': \($0)" }
        }
        return warnings
    }

    /// The problems, a sentence each.
    package final func problems() -> [String] { findings().problems }

    private func findings() -> (problems: [String], warnings: [String]) {
        guard facts.isChecked else { return ([], []) }
        var found = facts.complaints + repeatedNames() + stateProblems() + eventProblems() + timerProblems()
        let walk = WalkFindings(self)
        let steps = StepWatcher()
        var explorer = Explorer(self, variantsPerState: Self.maxVariants, maxMoves: Self.maxMoves, watcher: steps) {
            steps.see($0)
            walk.inspect($0)
        }
        do {
            let exploration = try explorer.explore()
            for sentence in walk.sentences where !found.contains(sentence) { found.append(sentence) }
            // Only of a sound flow: other problems leave parts of it unexplored.
            if found.isEmpty {
                let gaps = gaps(in: exploration, steps)
                // Other parameters, or a delegate that comes later, may lead elsewhere.
                let isWhole = exploration.isComplete && parameters.isEmpty && !facts.hasDelegate
                let doubts = (isWhole ? [] : gaps) + unknownFields(besides: walk.valueNames)
                return (isWhole ? gaps : [], doubts.map { "as far as it was tried, \($0)" })
            }
        } catch let error as UnsavableState {
            found = found + walk.sentences + [error.description]
        } catch {
            found = found + walk.sentences + [problemOfBeginning(error)]
        }
        return (found, [])
    }

    /// Parameters that have no default get samples, which a flow may refuse.
    private func problemOfBeginning(_ error: any Error) -> String {
        let samples = sampleContext.map { " with the sample parameters \($0)" } ?? ""
        let advice =
            samples.isEmpty && !(error is RestorationError)
            ? ""
            : "; 'parameters' must list all values of the context, with bounds whose first value is valid, or with defaults"
        return "no session of it can begin\(samples): \(error)\(advice)"
    }

    /// Parts of the flow that nothing leads to, and states that nothing leads out of.
    private func gaps(in exploration: Exploration, _ steps: StepWatcher) -> [String] {
        let accepted = exploration.accepted.values.reduce(into: Set()) { $0.formUnion($1) }
        return exploration.unreachable.filter { !steps.entered.contains($0) }.map {
            "nothing leads to the state '\($0)': add a transition, or a sample of an event that leads there, or remove the state"
        }
            + exploration.deadEnds.filter { !steps.left.contains($0) }.map {
                "nothing leads out of the state '\($0)', and it is not final: add a transition, or have isFinal return true for it"
            }
            + events.filter { !$0.sources.isSubset(of: .timers) && !accepted.contains($0.name) }.map {
                "no state accepts the event '\($0.name)': add a transition, or a sample that is accepted, or remove the event"
            }
            + timers.map(\.name).filter { !steps.timers.contains($0) }.map {
                "no state carries the timer '\($0)': remove it from 'timers', or start it"
            }
    }

    /// Bounds of values that no state has shown. An optional value may come with other parameters.
    private func unknownFields(besides names: Set<String>) -> [String] {
        fields.map(\.name).filter { !names.contains($0) }.map {
            "no state has a value '\($0)': give the entry of 'fields' the name of one, or remove it"
        }
    }

    private func repeatedNames() -> [String] {
        [("state", states), ("event", eventNames), ("timer", timers.map(\.name))].flatMap { what, names in
            var seen: Set<String> = []
            return names.filter { !seen.insert($0).inserted }.map { "the \(what) '\($0)' is listed twice" }
        }
    }

    private func stateProblems() -> [String] {
        if states.isEmpty { return ["it has no states: a state that is not an enum lists its names in 'allNames'"] }
        return missingStates.map { "the state '\($0)' is missing from 'states': add it, or leave the list to the enum" }
    }

    /// Cases of the state's enum that are not listed, where the list is one of cases.
    fileprivate var missingStates: [String] {
        guard let cases = facts.stateCases, let first = states.first, cases.contains(first) else { return [] }
        return cases.filter { !states.contains($0) }
    }

    private func eventProblems() -> [String] {
        let sampled = Set(facts.samples.joined())
        let missing = (facts.eventCases ?? []).filter { index(ofEvent: $0) == nil && !sampled.contains($0) }.map {
            "the event '\($0)' is missing from 'events': add .plain(.\($0)), or .timer(.\($0)) if only a timer sends it"
        }
        let misnamed = zip(events, facts.samples).flatMap { event, samples in
            others(in: samples, than: event.name).map {
                "the event '\(event.name)' has a sample of '\($0)': each event is listed by itself"
            }
        }
        return missing + misnamed
    }

    /// Samples of other cases. An event's only case may have another name than clients use, such as `done.invoke.ID`.
    private func others(in samples: [String], than event: String) -> Set<String> {
        let cases = Set(samples)
        if cases.count == 1, index(ofEvent: samples[0]) == nil { return [] }
        return cases.subtracting([event])
    }

    private func timerProblems() -> [String] {
        let sentByAny = timers.map(\.messageName) + timers.flatMap(\.milestones).map(\.messageName)
        let unsent = events.filter { $0.sources == .timers && !sentByAny.contains($0.name) }.map {
            "only a timer may send '\($0.name)', and none in 'timers' does: add the timer there, or list the event as .plain(.\($0.name))"
        }
        let wrong = timers.compactMap { timer in
            let alternative = ", or as .plain(.\(timer.messageName ?? ""), from: .clientsAndTimers) if both may"
            return problem("the timer '\(timer.name)'", sending: timer.message, or: alternative)
        }
        return wrong + timers.compactMap(problemOfLength) + timers.flatMap(milestoneProblems) + unsent
    }

    /// A timer or a milestone, and its message. `alternative` ends the sentence about an event that only clients may send.
    private func problem(_ sender: String, sending message: (any Sendable)?, or alternative: String = "") -> String? {
        guard let message else { return "\(sender) sends nothing: give it a message" }
        let event = caseName(of: message)
        if !facts.isEvent(message) {
            return "\(sender) sends '\(event)', which is not an event of this flow but another type's"
        }
        guard let index = index(ofEvent: event) else {
            return "\(sender) sends '\(event)', which is missing from 'events': add .timer(.\(event))"
        }
        if events[index].sources.contains(.timer) { return nil }
        return
            "\(sender) sends '\(event)', which a client may send and a timer may not: list it as .timer(.\(event))\(alternative)"
    }

    private func milestoneProblems(_ timer: TimerPlan) -> [String] {
        timer.milestones.compactMap { milestone in
            let what = "the milestone of the countdown '\(timer.name)' at \(milestone.remaining.written) left"
            guard milestone.remaining < timer.length else {
                return "\(what) never comes, as the countdown lasts \(timer.length.written): give it less than that"
            }
            return problem(what, sending: milestone.message)
        }
    }

    private func problemOfLength(_ timer: TimerPlan) -> String? {
        switch timer.kind {
        case .countdown:
            timer.length < .zero ? "the countdown '\(timer.name)' lasts \(timer.length.written): give it zero or more" : nil
        case .pendulum:
            timer.length <= .zero
                ? "the pendulum '\(timer.name)' swings every \(timer.length.written): give it more than zero" : nil
        }
    }
}

/// Sees every step of an exploration, also through states that a timer of zero length leaves at once.
private final class StepWatcher: MachineWatcher {
    private(set) var entered: Set<String> = []
    private(set) var left: Set<String> = []
    private(set) var timers: Set<String> = []

    override func record(_ entry: borrowing HistoryEntry, of machine: AnyMachine) {
        // A step that stays in its state leads on, too: it changes the data.
        if entry.kind.isChange { left.insert(machine.kind.stateName(at: entry.from)) }
        see(machine)
    }

    func see(_ machine: AnyMachine) {
        entered.insert(machine.stateName)
        timers.formUnion(machine.timers.map(\.plan.name))
    }
}

/// The findings of an exploration.
private final class WalkFindings {
    private let kind: FlowKind
    private(set) var sentences: [String] = []
    /// The names of all values in the data of the states.
    private(set) var valueNames: Set<String> = []

    init(_ kind: FlowKind) {
        self.kind = kind
    }

    func inspect(_ machine: AnyMachine) {
        let state = machine.stateName
        guard kind.states.contains(state) else {
            if kind.missingStates.contains(state) { return }
            return add("it enters the state '\(state)', which is missing from 'states': add it there")
        }
        let sound = machine.timers.filter { isListed($0, in: state) }
        if sound.count == machine.timers.count { checkRoundTrip(of: machine) }
    }

    /// Whether the timer is listed with its kind. If not, the state cannot be restored either, and a second sentence would not help.
    private func isListed(_ timer: StateTimer, in state: String) -> Bool {
        let name = timer.plan.name
        let kindOfTimer: TimerPlan.Kind = timer is Pendulum ? .pendulum : .countdown
        if let message = timer.plan.message, !kind.facts.isEvent(message) {
            add(
                "the timer '\(name)' in '\(state)' sends '\(caseName(of: message))', which is not an event of this flow but another type's"
            )
            return false
        }
        guard let plan = kind.timers.first(where: { $0.name == name }) else {
            add("'\(state)' carries the timer '\(name)', which is missing from 'timers': add it there")
            return false
        }
        guard plan.kind == kindOfTimer, timer.plan.kind == kindOfTimer else {
            add(
                "'\(state)' carries the timer '\(name)' as a \(kindOfTimer.rawValue), and it is planned as a \(plan.kind == kindOfTimer ? timer.plan.kind.rawValue : plan.kind.rawValue): make it with TimerPlan.\(kindOfTimer.rawValue)"
            )
            return false
        }
        return true
    }

    /// Restores the state as a restart would: from its data, and its timers stored apart from it.
    private func checkRoundTrip(of machine: AnyMachine) {
        let (state, names) = (machine.stateName, machine.timers.map(\.plan.name).sorted())
        do {
            let data = try machine.stateData()
            valueNames.formUnion(data.allNames)
            try checkRoundTrip(of: machine, data, names)
            if !machine.carriesOnlyTimers { return }
            try checkRoundTrip(of: machine, .object([]), names)
        } catch {
            add("'\(state)' cannot be restored after a restart: \(error)")
        }
    }

    private func checkRoundTrip(of machine: AnyMachine, _ data: JSON, _ names: [String]) throws {
        if let name = data.members.map(\.name).firstRepeated {
            return add("'\(machine.stateName)' carries two values under the name '\(name)': give each of them a label")
        }
        let context = try machine.savedContextText.map { try JSON(parsing: $0) }
        let image = SessionImage(state: machine.stateName, data: data, context: context, isSaved: true)
        let back = try kind.withoutHooks().begin(on: Timekeeper(VirtualClock()), at: image)
        let found = back.timers.map(\.plan.name).sorted()
        guard found == names else {
            return add(
                "'\(machine.stateName)' carries \(Self.list(names)) and is restored with \(Self.list(found)): label each value with its timer's name"
            )
        }
        let (saved, restored) = (data.withoutTimers, try back.stateData().withoutTimers)
        guard saved != .object([]), restored != saved else { return }
        add(
            "'\(machine.stateName)' is restored with other data than it was saved with: \(restored.description.shortened) instead of \(saved.description.shortened)"
        )
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "no timer" : names.map { "'\($0)'" }.joined(separator: " and ")
    }

    private func add(_ sentence: String) {
        if !sentences.contains(sentence) { sentences.append(sentence) }
    }
}

extension JSON {
    /// The names of all members, at every depth.
    fileprivate var allNames: [String] {
        switch self {
        case .object(let members): members.flatMap { [$0.name] + $0.value.allNames }
        case .array(let values): values.flatMap(\.allNames)
        case .null, .bool, .integer, .number, .string: []
        }
    }
}

extension [String] {
    /// The first one that is there twice.
    fileprivate var firstRepeated: String? {
        var seen: Set<String> = []
        return first { !seen.insert($0).inserted }
    }
}
