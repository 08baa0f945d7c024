// A chart as a kind of flow for a daemon to host.

import GameFlow

extension FlowKind {
    /// The kind of flow that a chart is, which was read from that file. Throws if an expression does not compile.
    package static func chart(_ definition: ChartDefinition, file: String = "") throws(TextProblem) -> FlowKind {
        let engine = try ChartEngine(definition)
        var flow = engine.flowDefinition
        flow.origin = FlowOrigin(file: file, fingerprint: definition.fingerprint)
        let kind = FlowKind.flow(flow) { clock, context in
            engine.given = context.given
            return ChartFlow(engine, on: clock)
        }
        kind.timersOfComputedLength = Set(definition.timers.filter(\.length.isComputed).map(\.name))
        kind.written = definition
        return kind
    }
}

extension FlowDefinition<ChartFlow> {
    /// `fields` are those of events that its expressions read; nil for all.
    static func chart(_ chart: Chart, _ plans: ChartPlans, reading fields: [String]?) -> FlowDefinition {
        let definition = chart.definition
        var made = FlowDefinition(
            name: definition.name, states: chart.leaves.map { chart.states[$0].path },
            events: Catalogue(chart.events.machineEvents(definition, reading: fields)), timers: plans.plans,
            parameters: definition.context.map { Parameter($0.name, like: $0.kind, default: $0.initial) })
        // Reading has checked it, and exploring it at every start would take as long as its states are many.
        made.isChecked = false
        made.keepsParameters = false
        made.hasEffects = definition.hasEffects
        made.shortensTimers = definition.extends
        return made
    }
}

extension ChartEvents {
    /// The events that a machine handles, each at its number.
    fileprivate func machineEvents(_ definition: ChartDefinition, reading fields: [String]?) -> [EventSpec<ChartEvent>] {
        let named = entries.enumerated().map { $1.spec(specs[$0], reading: fields) }
        let ofTimers = specs[named.count...].prefix { $0.isOfTimer }.map { spec in
            EventSpec<ChartEvent>(spec.name, from: .timers, samples: [ChartEvent(spec)]) { payload throws(FlowError) in
                ChartEvent(spec, payload?.json)
            }
        }
        return named + ofTimers
    }
}

extension ChartEventEntry {
    /// A file's flow has no work of its states: people send its events of the source `orchestrator`, the master of a room for one.
    private var isOffered: Bool { !sources.isSubset(of: .timers) && !Platform.contains(name) }

    fileprivate func spec(_ spec: ChartEventSpec, reading fields: [String]?) -> EventSpec<ChartEvent> {
        guard let payload else {
            let event = ChartEvent(spec)
            return EventSpec(name, label, nil, sources, [event], plain: event, offered: isOffered) {
                [carriesAnything, name] sent throws(FlowError) in
                if carriesAnything { return ChartEvent(spec, try sent?.part(reading: fields, of: name)) }
                guard sent?.isEmptyObject ?? true else { throw .badPayload(PayloadProblem(nothingIn: name)) }
                return event
            }
        }
        let samples = payload.samplePayloads(atMost: Self.maxSamples).map { ChartEvent(spec, $0) }
        // `check` builds the declared members alone, so that no other one reaches the flow.
        let isRead = fields.map { read in payload.fields.contains { read.contains($0.name) } } ?? true
        return EventSpec(name, label, payload, sources, samples, offered: isOffered) { [name] sent throws(FlowError) in
            let value = try payload.check(sent, of: name)
            guard payload.shape == .object else {
                return ChartEvent(spec, .object([.init(payload.name, value.map(payload.normalized) ?? .null)]))
            }
            return ChartEvent(spec, isRead ? value.map(payload.normalized) : nil)
        }
    }

    /// Payloads that are tried, to find out whether the event is accepted, and to explore, however many fields there are.
    private static let maxSamples = 12
}

extension Payload {
    /// These fields, or all. A payload that is no object is the field `value`. Nil if none of it is read.
    fileprivate func part(reading fields: [String]?, of event: String) throws(FlowError) -> JSON? {
        if isBuilt { return json }
        if let fields, isObject ? fields.isEmpty : !fields.contains("value") { return nil }
        guard let built = part(fields) else {
            throw .refused("the flow would read more than \(JSON.maxBuilt) values of the payload of '\(event)'")
        }
        return built
    }
}

// MARK: - All actions of a chart, at any depth

extension ChartDefinition {
    /// Every action, those inside of an `if` included.
    var allActions: [ChartAction] {
        (states.flatMap { $0.entry + $0.exit } + transitions.flatMap(\.actions)).flatMap(\.withInner)
    }

    /// The names of its states' timers, and of the events that it raises or sends later: each is a timer of the session meanwhile.
    package var timerNames: [String] { (timers.map(\.name) + delayedNames).withoutRepeats }

    /// Whether a session may have a timer of that name. A delayed event has a number behind its name where another timer has that name: `nag#2`.
    package func mayHaveTimer(named name: String) -> Bool {
        if timerNames.contains(name) { return true }
        guard let sign = name.lastIndex(of: "#"), UInt32(name[sign...].dropFirst()) != nil else { return false }
        return delayedNames.contains(String(name[..<sign]))
    }

    private var delayedNames: [String] { allActions.compactMap(\.delayed?.timer) }

    /// Whether it sends events to other sessions.
    var sends: Bool { allActions.contains { if case .send = $0 { true } else { false } } }

    /// Whether it extends timers, or shortens them.
    var extends: Bool { allActions.contains { if case .extend = $0 { true } else { false } } }

    /// Whether states and data of its sessions depend on `elapsed` or `remaining`, to the millisecond. Screens, emitted events and the log do not count.
    package var dependsOnTimes: Bool {
        let shown = Set(shownExpressions.map(\.number))
        return expressions.enumerated().contains { !shown.contains($0) && $1.readsTimes }
    }

    /// Whether a session that is forced into some state may come to this one by itself, in ways that change its data: by `always`,
    /// or by an `initial` with actions. The flow's own `initial` counts only if the session had ended: only then it is entered
    /// again.
    package func mayLead(onTo state: String, hasEnded: Bool) -> Bool {
        // Without variables and remembered states, sessions in one state have the same data.
        guard !context.isEmpty || states.contains(where: \.kind.isHistory) || transitions.contains(where: \.goesBack) else {
            return false
        }
        let leaves = state.split(separator: ",")
        return transitions.contains { transition in
            guard transition.leadsOn, hasEnded || transition.trigger != .initial || transition.source != 0 else { return false }
            let ends = transition.targets.isEmpty || transition.trigger == .initial ? [transition.source] : transition.targets
            return transition.goesBack || ends.contains { isAround($0, leaves) }
        }
    }

    /// Whether one of these states is that one, or inside of it. In place of a history state it is the state around that.
    private func isAround(_ index: Int, _ leaves: [Substring]) -> Bool {
        let node = states[index]
        let path = node.kind.isHistory ? node.parent.map { states[$0].path } ?? "" : node.path
        return path.isEmpty || leaves.contains { $0 == path || $0.hasPrefix(path + ".") }
    }

    private var shownExpressions: [Expression] {
        let views = states.compactMap(\.view).flatMap { view in
            [view.title, view.text].compactMap(\.self).flatMap(\.expressions) + (view.progress?.expressions ?? [])
        }
        return views
            + allActions.flatMap { action -> [Expression] in
                switch action {
                case .emit(let event): event.data?.expressions ?? []
                case .log(let formula): formula.expressions
                case .assign, .raise, .send, .cancel, .extend, .pause, .resume, .choose: []
                }
            }
    }

    /// Whether anything of it is for others than its own session.
    var hasEffects: Bool { !invocations.isEmpty || allActions.contains { $0.isForOthers } }
}

extension ChartTransition {
    /// Whether it is taken without an event, and not only completes a state.
    fileprivate var leadsOn: Bool { trigger == .always || (trigger == .initial && !actions.isEmpty) }
}

extension ChartAction {
    fileprivate var withInner: [ChartAction] {
        guard case .choose(_, let then, let otherwise) = self else { return [self] }
        return [self] + (then + otherwise).flatMap(\.withInner)
    }

    /// The event that it raises in its own session.
    var raised: EventToSend? { if case .raise(let event) = self { event } else { nil } }

    /// The name and the event of the timer that it begins; that of another session's event is `send.NAME`.
    var delayed: (timer: String, event: String)? {
        switch self {
        case .raise(let event): event.delay.map { _ in (event.id ?? event.event, event.event) }
        case .send(let event, _): event.delay.map { _ in (event.id ?? event.event, Platform.sent(event.event)) }
        case .assign, .emit, .cancel, .log, .extend, .pause, .resume, .choose: nil
        }
    }

    fileprivate var isForOthers: Bool {
        switch self {
        case .send, .emit, .log: true
        case .assign, .raise, .cancel, .extend, .pause, .resume, .choose: false
        }
    }
}

extension ExpressionSource {
    /// Whether it asks how long its state has been active, or how much of a timer is left.
    var readsTimes: Bool {
        Lexer.tokens(of: text).contains { $0.kind == .name("elapsed") || $0.kind == .name("remaining") }
    }
}
