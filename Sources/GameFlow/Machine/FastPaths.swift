// The ways into the machines of a kind of flow, and the record of a kind without machines.

/// A flow that was read from a file, with its graph.
package protocol WrittenFlow: Sendable {
    var graph: FlowGraph { get }
}

extension FlowKind {
    /// The names of a kind that no longer has sessions, each at its index: all that reading the history needs of it. They are shared with other
    /// definitions of the flow, which are mostly nearly the same.
    package final func record(sharing others: [FlowKind] = []) -> FlowKind {
        let record = FlowKind(recordOf: self, sharing: others)
        (record.flowNumber, record.versionNumber) = (flowNumber, versionNumber)
        return record
    }

    /// Translates an entry of `old`, another version of this flow, into this kind's indices.
    package final func translated(_ line: HistoryEntry, from old: FlowKind) -> HistoryEntry {
        let event = old.eventName(at: line.cause.event).map(historyIndex(ofEvent:)) ?? HistoryEntry.Cause.none
        let timer = old.timerName(at: line.cause.timer).map(historyIndex(ofTimer:)) ?? HistoryEntry.Cause.none
        return HistoryEntry(
            from: index(ofState: old.stateName(at: line.from)), to: index(ofState: old.stateName(at: line.to)),
            cause: HistoryEntry.Cause(line.cause.source, event: event, timer: timer, actor: line.cause.actor),
            detail: line.detail.map { translatedDetail($0, from: old, line.cause.source) },
            at: line.at,
            version: line.version)
    }

    /// A mask has the bits of the old catalogue, so it becomes names. Of events that this catalogue lacks, only the old one knows
    /// whether the source could send them; of the others, readers ask this one.
    private func translatedDetail(
        _ detail: HistoryEntry.Detail, from old: FlowKind, _ source: EventSource
    ) -> HistoryEntry.Detail {
        guard let refused = detail.refused, case .notValidMask(let accepted) = refused.facts else { return detail }
        let names = old.names(of: accepted) { $0.sources.contains(source) || index(ofEvent: $0.name) != nil }
        let facts = RefusalFacts.notValid(accepted: names)
        return HistoryEntry.Detail(
            detail.kind, refused: Refused(event: refused.event, code: refused.code, facts), payload: detail.payload)
    }
}

extension FastPaths {
    /// The paths of a kind without machines.
    static var none: FastPaths {
        func unused() -> Never { preconditionFailure("the record of a flow's names has no sessions") }
        return FastPaths(
            send: { _, _, _, _, _ throws(Refusal) in unused() }, fire: { _, _ in unused() }, accepted: { _ in unused() },
            carriesOnlyTimers: { _ in unused() }, isFinal: { _ in unused() }, screen: { _ in unused() },
            begin: { _, _, _ in unused() },
            restore: { _, _, _ in unused() })
    }
}

/// The functions called for every event. They are closures instead of overridden methods: an overridden method of a generic class runs in its generic
/// form, while a closure is specialized where the flow's type is known.
@usableFromInline
struct FastPaths {
    @usableFromInline
    let send: (AnyMachine, _ index: Int, Payload?, EventSource, ActorNumber) throws(Refusal) -> Outcome
    @usableFromInline let fire: (AnyMachine, Firing) -> Void
    /// The accepted events, one bit each; nil where there are more than 64.
    @usableFromInline let accepted: (AnyMachine) -> UInt64?
    @usableFromInline let carriesOnlyTimers: (AnyMachine) -> Bool
    @usableFromInline let isFinal: (AnyMachine) -> Bool
    @usableFromInline let screen: (AnyMachine) -> Screen
    @usableFromInline let begin: (FlowKind, Timekeeper, _ context: JSON?) throws -> AnyMachine
    @usableFromInline let restore: (FlowKind, Timekeeper, SessionImage) throws -> AnyMachine

    @usableFromInline
    init(
        send: @escaping (AnyMachine, Int, Payload?, EventSource, ActorNumber) throws(Refusal) -> Outcome,
        fire: @escaping (AnyMachine, Firing) -> Void, accepted: @escaping (AnyMachine) -> UInt64?,
        carriesOnlyTimers: @escaping (AnyMachine) -> Bool,
        isFinal: @escaping (AnyMachine) -> Bool, screen: @escaping (AnyMachine) -> Screen,
        begin: @escaping (FlowKind, Timekeeper, JSON?) throws -> AnyMachine,
        restore: @escaping (FlowKind, Timekeeper, SessionImage) throws -> AnyMachine
    ) {
        self.send = send
        self.fire = fire
        self.accepted = accepted
        self.carriesOnlyTimers = carriesOnlyTimers
        self.isFinal = isFinal
        self.screen = screen
        self.begin = begin
        self.restore = restore
    }
}
