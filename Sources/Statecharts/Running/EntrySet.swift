// Which states a set of transitions leaves and enters: the algorithm of SCXML, appendix D, with its names, as pure functions of the
// active states and of what history remembers.

/// The states to enter, and what their entry runs besides. All lists of states are in document order.
struct EntrySet {
    private(set) var statesToEnter: [Int] = []
    /// The states around those.
    private var around: [Int] = []
    /// The parallel states with all their regions entered.
    private var complete: [Int] = []
    /// The states that the current transition has added.
    private var added: [Int] = []
    /// The states that are entered by default, so that the content of their initial transition runs.
    var statesForDefaultEntry: [Int] = []
    /// The default transition of a history state that remembers nothing, by the history's parent.
    var defaultHistoryContent: [Int: Int] = [:]
    /// Whether it depends on what history states remember.
    var usesHistory = false

    mutating func insert(_ state: Int, of chart: Chart) {
        guard statesToEnter.add(state) else { return }
        added.append(state)
        addAncestors(state, of: chart)
    }

    private mutating func addAncestors(_ state: Int, of chart: Chart) {
        var next = chart.states[state].parent
        while let outer = next, around.add(outer) { next = chart.states[outer].parent }
    }

    /// Whether the state or anything in it is entered.
    func enters(_ state: Int) -> Bool { statesToEnter.has(state) || around.has(state) }

    /// False if the state's regions have been completed before.
    mutating func mustComplete(_ state: Int) -> Bool { complete.add(state) }

    mutating func remove(_ state: Int) { statesToEnter.removeAll { $0 == state } }

    mutating func beginTransition() { added.removeAll(keepingCapacity: true) }

    /// Removes states that the current transition has added, unless `isKept` accepts them.
    mutating func keepAdded(of chart: Chart, where isKept: (Int) -> Bool) {
        let gone = added.filter { !isKept($0) }.sorted()
        guard !gone.isEmpty else { return }
        statesToEnter.removeAll { gone.has($0) }
        (around, complete) = ([], [])
        for state in statesToEnter { addAncestors(state, of: chart) }
    }
}

/// The part of a session's memory that decides which states are entered.
struct HistoryValue {
    static let none = HistoryValue()

    /// The states that history states remember, by the history states' numbers.
    var remembered: [Int: [Int]] = [:]
    /// Where the enabled transitions that go back lead, by their numbers.
    var waysBack: [Int: WayBack] = [:]
}

/// The state inside of which a transition leaves everything.
enum TransitionDomain: Sendable {
    /// Nil for a transition without targets.
    case fixed(Int?)
    /// It depends on what the session remembers.
    case remembered
}

/// The entry sets of single transitions, computed once where they do not depend on what a session remembers.
struct EntrySetCache {
    /// Larger ones are computed each time.
    private static let maxStates = 64

    private let chart: Chart
    private var known: [EntrySet?]

    init(_ chart: Chart) {
        self.chart = chart
        known = Array(repeating: nil, count: chart.transitions.count)
    }

    mutating func entrySet(of enabled: [Int], _ domains: [Int?], _ historyValue: HistoryValue) -> EntrySet {
        if enabled.count == 1, let known = known[enabled[0]] { return known }
        let set = chart.computeEntrySet(enabled, domains, historyValue)
        if enabled.count == 1, !set.usesHistory, set.statesToEnter.count <= Self.maxStates { known[enabled[0]] = set }
        return set
    }
}

extension Chart {
    // MARK: Domains

    func getEffectiveTargetStates(_ transition: Int, _ historyValue: HistoryValue) -> [Int] {
        if transitions[transition].goesBack { return historyValue.waysBack[transition]?.targets ?? [] }
        let named = transitions[transition].targets
        if named.count == 1, !states[named[0]].kind.isHistory { return named }
        var (targets, seen): ([Int], Set<Int>) = ([], [])
        for target in named {
            guard states[target].kind.isHistory else {
                if seen.insert(target).inserted { targets.append(target) }
                continue
            }
            let remembered =
                historyValue.remembered[target] ?? states[target].initial.map { getEffectiveTargetStates($0, historyValue) }
                ?? []
            for state in remembered where seen.insert(state).inserted { targets.append(state) }
        }
        return targets
    }

    /// The state inside of which everything is left; nil for a transition without targets.
    func getTransitionDomain(_ transition: Int, _ historyValue: HistoryValue) -> Int? {
        switch domains[transition] {
        case .fixed(let domain): domain
        case .remembered:
            transitions[transition].goesBack
                ? historyValue.waysBack[transition]?.domain : computeDomain(of: transition, historyValue)
        }
    }

    /// For each transition its domain, where that does not depend on what a session remembers.
    func computeDomains() -> [TransitionDomain] {
        transitions.indices.map { number in
            let transition = transitions[number]
            let isRemembered = transition.goesBack || transition.targets.contains { states[$0].kind.isHistory }
            return isRemembered ? .remembered : .fixed(computeDomain(of: number, .none))
        }
    }

    private func computeDomain(of transition: Int, _ historyValue: HistoryValue) -> Int? {
        let targets = getEffectiveTargetStates(transition, historyValue)
        let source = transitions[transition].source
        guard !targets.isEmpty else { return nil }
        if source == Self.root { return source }
        if !transitions[transition].reenters, isCompoundState(source), targets.allSatisfy({ isDescendant($0, source) }) {
            return source
        }
        return findLCCA([source] + targets)
    }

    /// The innermost compound state around all of these. The root is around everything, as SCXML's document is.
    func findLCCA(_ list: [Int]) -> Int {
        guard let first = list.first else { return Self.root }
        return states.ancestors(of: first).dropFirst().first { state in
            isCompoundState(state) && list.dropFirst().allSatisfy { isDescendant($0, state) }
        } ?? Self.root
    }

    private func isCompoundState(_ state: Int) -> Bool { states[state].kind == .compound }

    // MARK: Exits

    /// The active states that these transitions leave, in document order.
    func computeExitSet(_ domains: [Int?], _ configuration: [Int]) -> [Int] {
        if domains.count == 1 { return domains[0].map { Array(configuration[descendants(of: $0, in: configuration)]) } ?? [] }
        let domains = domains.compactMap { $0 }.sorted()
        var (exits, next, end): ([Int], Int, Int) = ([], 0, 0)
        for state in configuration {
            // The furthest end of a domain that begins before the state.
            while next < domains.count, domains[next] < state {
                end = max(end, ends[domains[next]])
                next += 1
            }
            if state < end { exits.append(state) }
        }
        return exits
    }

    /// Of transitions that leave a state in common, the one from the inner state stays, or the one that comes first.
    func removeConflictingTransitions(
        _ enabled: [Int], _ configuration: [Int], _ historyValue: HistoryValue
    ) -> [Int] {
        guard enabled.count > 1 else { return enabled }
        var (filtered, furthest): ([Exits], Int) = ([], 0)
        for transition in enabled {
            let exits = exits(of: transition, configuration, historyValue)
            // Mostly it leaves only what comes behind all that the others leave.
            if exits.indices.lowerBound < furthest {
                let conflicting = filtered.filter { $0.indices.overlaps(exits.indices) }
                let source = transitions[transition].source
                if conflicting.contains(where: { !isDescendant(source, transitions[$0.transition].source) }) { continue }
                if !conflicting.isEmpty { filtered.removeAll { $0.indices.overlaps(exits.indices) } }
            }
            filtered.append(exits)
            furthest = max(furthest, exits.indices.upperBound)
        }
        return filtered.map(\.transition)
    }

    /// A transition, and which of the active states it leaves: they stand together.
    private struct Exits {
        var transition: Int
        var indices: Range<Int>
    }

    private func exits(of transition: Int, _ configuration: [Int], _ historyValue: HistoryValue) -> Exits {
        let domain = getTransitionDomain(transition, historyValue)
        return Exits(transition: transition, indices: domain.map { descendants(of: $0, in: configuration) } ?? 0..<0)
    }

    // MARK: Entries

    /// The states that the transitions enter, each inside its transition's domain: nothing around the domain has been left.
    func computeEntrySet(_ enabled: [Int], _ domains: [Int?], _ historyValue: HistoryValue) -> EntrySet {
        var set = EntrySet()
        for (transition, domain) in zip(enabled, domains) {
            set.beginTransition()
            let goesBack = transitions[transition].goesBack
            let targets = goesBack ? waysBack(of: transition, domain, historyValue) : transitions[transition].targets
            set.usesHistory = set.usesHistory || goesBack || targets.contains { states[$0].kind.isHistory }
            for target in targets { addDescendantStatesToEnter(target, &set, historyValue) }
            guard let ancestor = domain else { continue }
            for state in goesBack ? targets : getEffectiveTargetStates(transition, historyValue) {
                addAncestorStatesToEnter(state, ancestor, &set, historyValue)
            }
            if ancestor == Self.root { addRegionsOfRoot(&set, historyValue) }
            set.keepAdded(of: self) { isDescendant($0, ancestor) }
        }
        set.remove(Self.root)
        return set
    }

    /// The leaves inside the domain that a transition leads back to.
    private func waysBack(of transition: Int, _ domain: Int?, _ historyValue: HistoryValue) -> [Int] {
        getEffectiveTargetStates(transition, historyValue).filter { leaf in domain.map { isDescendant(leaf, $0) } ?? true }
    }

    func addDescendantStatesToEnter(_ state: Int, _ set: inout EntrySet, _ historyValue: HistoryValue) {
        switch states[state].kind {
        case .history: addHistory(state, &set, historyValue)
        case .compound:
            set.insert(state, of: self)
            set.statesForDefaultEntry.add(state)
            guard let initial = states[state].initial else { return }
            addTargets(transitions[initial].targets, below: state, &set, historyValue)
        case .parallel:
            set.insert(state, of: self)
            addMissingRegions(of: state, &set, historyValue)
        case .atomic, .final: set.insert(state, of: self)
        }
    }

    private func addHistory(_ state: Int, _ set: inout EntrySet, _ historyValue: HistoryValue) {
        set.usesHistory = true
        guard let parent = states[state].parent else { return }
        if let remembered = historyValue.remembered[state] { return addTargets(remembered, below: parent, &set, historyValue) }
        guard let initial = states[state].initial else { return }
        set.defaultHistoryContent[parent] = initial
        addTargets(transitions[initial].targets, below: parent, &set, historyValue)
    }

    func addTargets(_ targets: [Int], below parent: Int, _ set: inout EntrySet, _ historyValue: HistoryValue) {
        for target in targets { addDescendantStatesToEnter(target, &set, historyValue) }
        for target in targets { addAncestorStatesToEnter(target, parent, &set, historyValue) }
    }

    func addAncestorStatesToEnter(_ state: Int, _ ancestor: Int, _ set: inout EntrySet, _ historyValue: HistoryValue) {
        var next = states[state].parent
        while let anc = next, anc != ancestor {
            set.insert(anc, of: self)
            if states[anc].kind == .parallel { addMissingRegions(of: anc, &set, historyValue) }
            next = states[anc].parent
        }
    }

    /// A root with regions is never left itself: where all inside of it was left, its regions are entered here.
    func addRegionsOfRoot(_ set: inout EntrySet, _ historyValue: HistoryValue) {
        if states[Self.root].kind == .parallel { addMissingRegions(of: Self.root, &set, historyValue) }
    }

    private func addMissingRegions(of state: Int, _ set: inout EntrySet, _ historyValue: HistoryValue) {
        guard set.mustComplete(state) else { return }
        for child in states[state].children where !states[child].kind.isHistory && !set.enters(child) {
            addDescendantStatesToEnter(child, &set, historyValue)
        }
    }

    // MARK: Final states

    func isInFinalState(_ state: Int, _ configuration: [Int]) -> Bool {
        switch states[state].kind {
        case .compound: states[state].children.contains { states[$0].kind == .final && configuration.has($0) }
        case .parallel: states[state].children.allSatisfy { states[$0].kind.isHistory || isInFinalState($0, configuration) }
        case .atomic, .final, .history: false
        }
    }

    /// The leaves and everything around them, in document order.
    func configuration(of leaves: [Int]) -> [Int] {
        var found = [Self.root]
        for leaf in leaves {
            var next: Int? = leaf
            while let state = next, found.add(state) { next = states[state].parent }
        }
        return found
    }

    /// The same of one leaf, in memory that is there already.
    func collectConfiguration(of leaf: Int, in states: inout [Int]) {
        states.removeAll(keepingCapacity: true)
        var next: Int? = leaf
        while let state = next {
            states.append(state)
            next = self.states[state].parent
        }
        states.reverse()
    }

    func isDone(_ state: ChartState) -> Bool {
        state.more?.combination?.isDone ?? isInFinalState(Self.root, configuration(of: state.leaves(of: self)))
    }
}

extension ChartState {
    /// The active leaves, in document order.
    func leaves(of chart: Chart) -> [Int] {
        leafIndex == Self.several ? more?.combination?.leaves ?? [] : [chart.leaves[Int(leafIndex)]]
    }
}
