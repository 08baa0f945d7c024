// A session's machine, type-erased.

import Timers

/// An event that a machine accepts now.
public struct AcceptedEvent: Sendable, Equatable {
    public let name: String
    public let label: String
    public let payload: PayloadKind?
    public let sources: EventSources
}

extension AcceptedEvent {
    init(_ spec: EventSpec<some Sendable>) {
        self.init(name: spec.name, label: spec.label, payload: spec.payload, sources: spec.sources)
    }
}

/// A session's machine, whatever its flow's types are.
open class AnyMachine: TimerHost {
    // The smallest come first: they fit in behind the host's last. So a machine of a small state takes 80 bytes, and malloc its own 16.
    @usableFromInline @exclusivity(unchecked) final var flags = MachineFlags()
    @usableFromInline @exclusivity(unchecked) final var narrowPlace: UInt16 = 0
    @usableFromInline @exclusivity(unchecked) final var mark = FlightMark.nowhere
    /// How many changes the session has seen.
    public final var version: UInt32 { changes }
    @usableFromInline @exclusivity(unchecked) final var changes: UInt32 = 0
    /// What this machine has in common with all others of its flow.
    public final let kind: FlowKind
    /// When the session entered the state in which it is.
    public final var since: Instant { entered }
    @usableFromInline @exclusivity(unchecked) final var entered = Instant.zero

    /// Where the state's name stands among its flow's.
    @inlinable public final var statePlace: UInt32 { place }
    @inlinable final var place: UInt32 {
        get { UInt32(narrowPlace) }
        set { narrowPlace = UInt16(truncatingIfNeeded: newValue) }
    }
    @inlinable final var phase: MachinePhase {
        get { flags.phase }
        set { flags.phase = newValue }
    }

    /// The owner's slot number.
    @inlinable public final var tag: UInt32 {
        get { mark }
        set { mark = newValue }
    }

    /// Tells the session from others that have had its slot: the owner's number below 32. 0 tells nothing.
    @inlinable public final var stamp: UInt8 {
        get { flags.stamp }
        set { flags.stamp = newValue }
    }

    @usableFromInline
    init(on timekeeper: Timekeeper, kind: FlowKind) {
        self.kind = kind
        super.init(on: timekeeper)
        kind.thread = .current
    }

    public final override func timerFired(_ firing: Firing) {
        kind.paths.fire(self, firing)
    }

    /// The name of the state in which the session is.
    public final var stateName: String { kind.stateName(at: place) }

    /// Sends an event by its place in the flow's catalogue, with what it carries.
    @inlinable @discardableResult
    public final func send(at place: Int, payload: Payload? = nil, from source: EventSource) throws(Refusal) -> Outcome {
        guard let flight = kind.flight else { return try kind.paths.send(self, place, payload, source) }
        let outer = flight.enter(FlightMark(.event, UInt16(truncatingIfNeeded: place), of: self))
        defer { flight.leave(outer) }
        return try kind.paths.send(self, place, payload, source)
    }

    /// Sends an event by its name, with what it carries.
    @discardableResult
    public final func send(named name: String, payload: Payload? = nil, from source: EventSource) throws(Refusal) -> Outcome {
        guard let place = kind.place(ofEvent: name) else { throw kind.unknownEvent(name) }
        return try send(at: place, payload: payload, from: source)
    }

    public final var flowName: String { kind.name }

    /// What its host calls the session; empty before the host has it, and where nobody names sessions.
    public final override var sessionName: String { kind.watcher?.object.name(of: self) ?? "" }

    /// The parameters that the session was begun with, as JSON; nil where its flow has none.
    public final var contextText: String? {
        kind.parameters.isEmpty ? nil : kind.contexts[ObjectIdentifier(self)]
    }

    /// Its host has it now: the work of its state begins.
    open func beginWork() { abstract() }

    /// Tries one of the samples of an event. Whether anything came of it.
    func trySample(_ sample: Int, ofEvent place: Int) -> Bool { abstract() }

    /// Whether nothing more will come.
    open var isFinal: Bool { abstract() }
    /// What is to be shown.
    open var screen: Screen { abstract() }
    /// The events for which there is a transition now.
    open var acceptedEvents: [AcceptedEvent] { abstract() }

    /// Those of them that something else than a timer may send.
    public final var acceptedFromOutside: [AcceptedEvent] {
        acceptedEvents.filter { !$0.sources.isSubset(of: .timers) }
    }

    /// One bit for each event of the catalogue that is accepted now; nil where there are more than 64.
    public final var acceptedMask: UInt64? { markedIfNobodyHas(.look) { kind.paths.accepted(self) } }

    /// The state's data as JSON, timers included.
    open func stateData() throws -> JSON { abstract() }

    /// Puts the session into a state, whatever its flow says. Timers start afresh unless the data says how they stand.
    open func force(_ state: String, data: JSON, from source: EventSource = .ui) throws(Refusal) { abstract() }

    // MARK: What waits

    /// Events that have been acknowledged and not come to anything yet.
    package var waitingEvents: [WaitingEvent] { abstract() }
    func restore(_ events: [WaitingEvent]) throws { abstract() }
    func takeUpQueue() { abstract() }

    /// The same as a store keeps them; nil if nothing waits, as is nearly always so.
    package final var waitingText: String? {
        guard flags.hasExtras else { return nil }
        let events = waitingEvents
        return events.isEmpty ? nil : WaitingEvent.text(of: events)
    }

    /// They wait again, as they did before a restart. What waited for a hook is not handled until `takeUpWaiting`.
    package final func restore(waiting events: [WaitingEvent]) throws {
        if !events.isEmpty { try restore(events) }
    }

    /// After a restart: what waited for a hook is handled.
    package final func takeUpWaiting() {
        if flags.hasExtras { takeUpQueue() }
    }

    private func abstract() -> Never {
        preconditionFailure("every machine is a Machine of some flow")
    }
}
