// Reads a chart from its file's values, in passes: the tree of states, then declarations, then references.

import GameFlow
import Memory
import Texts

final class ChartReader {
    let document: JSON5Document
    let problems: Problems
    /// Compiles expressions as the daemon does. The context is read before the first of them.
    lazy var compiler = try? Compiler(variables: context.names)

    var name = ""
    var tree = StateTree()
    var timers = TimerTable()
    var context = ContextTable()
    var events = EventTable()
    var invocations = InvocationTable()
    /// The events that `cancel` actions name, and those that can be cancelled.
    var delayed = DelayedEvents()
    var transitions: [ChartTransition] = []
    /// Transitions to initial states. They do not count: the number of states bounds them.
    private var initialTransitions = 0
    /// Milestones with events that have the name of a state.
    var milestonesNamingStates: [(event: String, offset: Int)] = []
    /// The offset of each transition in the file.
    var transitionOffsets: [Int] = []
    var expressions: [ExpressionSource] = []
    /// Of each expression: the text that it is in and its first byte there, the trigger of its transition, and the fields of the event.
    var expressionPlaces: [(text: Int, byte: Int, trigger: Trigger?, fields: [ExpressionMentions.Name])] = []
    /// The trigger of the transitions that are being read; nil outside of them.
    var trigger: Trigger?
    /// The state with the `entry` that is being read; nil outside of it.
    var enteredState: Int?

    init(_ document: JSON5Document, _ problems: Problems) {
        self.document = document
        self.problems = problems
    }

    /// The chart, however wrong it is; the problems decide whether it can be used.
    func read(_ root: LocatedJSON, fileName: String) -> ChartDefinition? {
        guard root.members != nil else {
            problems.wrong(root, "a flow is an object, { id: \"…\", initial: \"…\", states: { … } }")
            return nil
        }
        let fields = readTree(root, fileName: fileName)
        // Reported once. The remaining checks would take as long, and report little.
        guard !tree.isTooLarge else { return nil }
        fields.value(.context).map(readContext)
        fields.value(.events).map(readCatalogue)
        readTimers()
        for state in tree.states.indices { readState(state) }
        checkEventMentions()
        checkCancels()
        checkNumberedEvents()
        checkStateNames()
        let definition = ChartDefinition(
            name: name, states: tree.states, transitions: transitions, timers: timers.all, invocations: invocations.all,
            context: context.all, events: events.entries, expressions: expressions,
            fingerprint: FNV1a(root.json.description.utf8).hexadecimal)
        check(definition)
        return definition
    }

    /// Adds a transition to those of its state; nil where there are too many.
    @discardableResult
    func add(_ transition: ChartTransition, at offset: Int) -> Int? {
        let number = transitions.count
        if transition.trigger == .initial {
            initialTransitions += 1
        } else {
            let counted = number - initialTransitions
            guard problems.hasRoom(counted, atMost: ChartBounds.transitions, "transitions", at: offset) else { return nil }
            tree.states[transition.source].transitions.append(number)
        }
        transitions.append(transition)
        transitionOffsets.append(offset)
        return number
    }
}

// MARK: - Checks the chart as a whole

extension ChartReader {
    private func check(_ chart: ChartDefinition) {
        // An error may hide what the other checks would miss: a transition, a guard, an event or a field.
        let isComplete = !problems.hasErrors
        checkTargets(of: chart)
        guard isComplete else { return }
        for number in chart.alwaysLoops {
            problems.error(
                transitionOffsets[number],
                "'always' has no guard here and leads back to where it was, endlessly; give it a guard, or another target")
        }
        for number in chart.zeroTimerLoops {
            problems.warning(
                transitionOffsets[number],
                "this leads back to where it was without time passing, and the daemon stops the clock of such a session; "
                    + "give the timer a length, or a guard")
        }
        for number in chart.shadowedTransitions {
            problems.warning(
                transitionOffsets[number],
                "this is never taken: one before it has no guard; several targets at once are target: [\"a\", \"b\"]")
        }
        checkUnusedEvents(of: chart)
        checkEventFields(of: chart)
        checkReachability(of: chart)
    }

    private func checkReachability(of chart: ChartDefinition) {
        if !chart.transitions.contains(where: \.goesBack) {
            for back in tree.drafts.compactMap({ $0.fields[.back] }) {
                problems.warning(
                    back.offset, "'back' has no effect: no transition of the flow leads to \"$back\"")
            }
        }
        let unreached = chart.unreachedStates
        for state in unreached {
            let isHistory = chart.states[state].kind.isHistory
            let way = isHistory ? "" : ": no transition, no 'initial', no history; only FORCE and NEW reach it"
            problems.warning(tree.drafts[state].offset, "nothing leads to \(words(for: state))\(way)")
        }
        let lost = Set(unreached)
        for state in chart.states[0].children where chart.states[state].kind.isHistory && !lost.contains(state) {
            problems.warning(
                tree.drafts[state].offset,
                "\(words(for: state)) remembers nothing: no transition leaves the flow; "
                    + "move it into the state whose exit it should remember")
        }
    }

    private func checkTargets(of chart: ChartDefinition) {
        for (transition, offset) in zip(chart.transitions, transitionOffsets) {
            checkReentry(of: transition, at: offset, chart)
            if let conflict = chart.conflict(among: transition.targets) { problems.error(offset, conflict) }
        }
    }

    /// As in SCXML, where such a transition is called internal.
    private func checkReentry(of transition: ChartTransition, at offset: Int, _ chart: ChartDefinition) {
        let source = transition.source
        guard !transition.reenters, !transition.targets.isEmpty, source != 0 else { return }
        let isInside = transition.targets.allSatisfy { chart.states.isDescendant($0, of: source) }
        guard !isInside || chart.states[source].kind != .compound else { return }
        problems.warning(
            offset,
            "'reenter: false' has no effect here: it is for transitions of a compound state to states inside of it; "
                + "to stay in \(words(for: source)), leave out the target")
    }

    /// Only with a catalogue.
    private func checkEventFields(of chart: ChartDefinition) {
        guard events.hasCatalogue else { return }
        let known = EventFields(chart)
        for place in expressionPlaces {
            for field in place.fields where known.lacks(field.text, on: place.trigger) {
                problems.warning(
                    document.offset(ofByte: place.byte + field.offset, inTextAt: place.text),
                    known.complaint(about: field.text, on: place.trigger))
            }
        }
    }

    private func checkUnusedEvents(of chart: ChartDefinition) {
        let unused = UnusedEvents(chart)
        if events.hasCatalogue {
            for (event, offset) in zip(chart.events, events.offsets) where unused.contains(event.name) {
                problems.warning(offset, "no state accepts the event '\(event.name.shortened)'")
            }
        }
        checkPostponedEvents(unused)
        for (event, offset) in milestonesNamingStates where unused.contains(event) {
            problems.warning(
                offset,
                "this raises an event \(event.quoted), which no state accepts, and enters no state: a milestone has no target; "
                    + "raise an event that leads there by 'on'")
        }
    }

    /// Only an event from outside waits; the flow's own is handled at once, or when its delay is over.
    private func checkPostponedEvents(_ unused: UnusedEvents) {
        for value in tree.drafts.compactMap({ $0.fields.value(.postpone) }) {
            for name in problems.names(value, of: "event", "'postpone'") {
                guard let event = name.text else { continue }
                if unused.contains(event) {
                    problems.warning(name.offset, "'\(event.shortened)' would wait here forever: no state accepts it")
                } else if let number = events.numbers[event], events.entries[number].sources.isEmpty {
                    problems.warning(name.offset, "'\(event.shortened)' never waits here: only the flow itself raises it")
                }
            }
        }
    }

    // MARK: Bounds of the chart as a whole

    /// A session's machine numbers all of these in two bytes.
    private func checkNumberedEvents() {
        let milestones = timers.all.reduce(0) { $0 + $1.milestones.count }
        let others = timers.all.count + milestones + 2 * invocations.all.count + delayed.events.count + 1
        let count = events.entries.count + others
        guard count > ChartBounds.numberedEvents else { return }
        problems.error(
            tree.drafts[0].offset,
            "a flow has at most \(ChartBounds.numberedEvents) events with those of its timers, milestones, invoked flows and delayed sends, and these are \(count)"
        )
    }

    /// The name of a session's state has the paths of all its active leaves. A history state remembers as much, and `$back` many times that.
    private func checkStateNames() {
        let longest = longestNames()
        if let tooLong = tree.states.indices.last(where: { longest[$0] > ChartBounds.stateNameBytes }) {
            problems.error(
                tree.drafts[tooLong].offset,
                "the names of all states that are active together in \(tree.name(of: tooLong).quoted) have \(longest[tooLong]) bytes, and \(ChartBounds.stateNameBytes) are the most; give them shorter names, or make fewer regions"
            )
        }
        let histories = tree.states.indices.filter { tree.states[$0].kind.isHistory }
        let trail = transitions.contains(where: \.goesBack) ? ChartBounds.trail * longest[0] : 0
        let remembered = histories.reduce(trail) { $0 + longest[tree.states[$1].parent ?? 0] }
        guard remembered > ChartBounds.rememberedBytes else { return }
        problems.error(
            tree.drafts[histories.last ?? 0].offset,
            "the history states and \(Self.back.quoted) of a flow remember at most \(ChartBounds.rememberedBytes) bytes of names together, and these can become \(remembered)"
        )
    }

    /// The length of the longest name that each state can have with the states in it.
    private func longestNames() -> [Int] {
        var longest = tree.states.map { $0.kind.isLeaf ? $0.path.utf8.count : 0 }
        for (number, state) in tree.states.enumerated().reversed() where !state.children.isEmpty {
            let inner = state.children.lazy.filter { !self.tree.states[$0].kind.isHistory }.map { longest[$0] }
            longest[number] = state.kind == .parallel ? inner.reduce(-1) { $0 + $1 + 1 } : inner.max() ?? 0
        }
        return longest
    }

    // MARK: Texts with `{{ expressions }}` in them

    func template(_ value: LocatedJSON, _ what: String, of state: Int) -> Template? {
        guard let text = problems.text(value, what) else { return nil }
        var parts: [Template.Part] = []
        var rest = Substring(text).utf8
        while let start = rest.indices.first(where: { rest[$0...].starts(with: "{{".utf8) }) {
            if start > rest.startIndex { parts.append(.text(String(rest[..<start]) ?? "")) }
            let inside = rest[start...].dropFirst(2)
            let byte = text.utf8.distance(from: text.startIndex, to: inside.startIndex)
            guard let end = inside.endOfExpression else {
                problems.error(document.offset(ofByte: byte - 2, inTextAt: value.offset), "the {{ that begins here has no }}")
                return nil
            }
            parts.append(.expression(expression(String(inside[..<end]) ?? "", at: byte, in: value, of: state)))
            rest = inside[inside.index(end, offsetBy: 2)...]
        }
        if !rest.isEmpty || parts.isEmpty { parts.append(.text(String(rest) ?? "")) }
        return Template(parts: parts)
    }
}

extension Substring.UTF8View {
    /// Where the `}}` stands that belongs to no table and no text of the expression.
    fileprivate var endOfExpression: Index? {
        var (depth, quote, index) = (0, UInt8(0), startIndex)
        while index < endIndex {
            let (byte, next) = (self[index], self.index(after: index))
            let isLast = next == endIndex
            switch byte {
            case UInt8(ascii: "\\") where quote != 0 && !isLast: index = next
            case quote where quote != 0: quote = 0
            case UInt8(ascii: "'") where quote == 0, UInt8(ascii: "\"") where quote == 0: quote = byte
            case UInt8(ascii: "{") where quote == 0: depth += 1
            case UInt8(ascii: "}") where quote == 0 && depth > 0: depth -= 1
            case UInt8(ascii: "}") where quote == 0 && !isLast && self[next] == byte: return index
            default: break
            }
            index = self.index(after: index)
        }
        return nil
    }
}
