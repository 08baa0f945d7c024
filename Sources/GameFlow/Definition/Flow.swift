// A flow's states, events and timers, and the selector that picks an event's transition.

/// A process made of states, events and time. An instance serves one session: it has that session's clock and parameters, and nothing
/// that changes.
///
/// A flow's states, events and timers are a value, its `definition`. For most flows, the `TypedFlow`s, the Swift type is the definition. A flow that
/// is read from a file makes its definition at run time, and is a flow like any other.
public protocol Flow: SendableMetatype {
    /// A session's state, with its data, and the timers that live as long as the state does.
    associatedtype State: FlowState
    /// The events that the flow handles.
    associatedtype Event: Sendable
    /// The parameters that a session begins with.
    associatedtype Context: Codable & Sendable = NoContext
    /// A closure that returns the session's new state.
    typealias Transition = () throws -> State

    /// The flow's states, events and timers.
    var definition: FlowDefinition<Self> { get }

    /// The session's own time.
    var clock: FlowClock { get }

    /// The state that a session begins in.
    func initialState() throws -> State

    /// Selects the transition that `event` takes in `state`. Nothing happens until the transition is run. It is also called to find out which events are
    /// accepted, so selecting must have no side effects.
    func transition(from state: State, on event: Event) throws(FlowError) -> Transition

    /// Adapts a timer to this session: the session's parameters may determine its length. Applies to restored timers too.
    func plan(_ timer: TimerPlan) -> TimerPlan

    /// Selects the transition and runs it. Only for a flow that can do both at once with less effort.
    func step(from state: State, on event: Event) throws(FlowError) -> State

    /// Called before one look at a session tries events with `accepts`, so that a flow can bound the total time of those trials.
    func beginTrials()

    /// Whether the event has a transition in this state, or would be postponed. Decides which events are offered to people.
    func accepts(_ event: Event, in state: State) -> Bool

    /// Makes the image's state, for a flow with states that their type alone cannot decode; nil for all others. `current` is the state of a session
    /// that is forced into this one.
    func restored(_ image: SessionImage, from current: State?) throws -> State?

    /// Completes a state that was restored or forced: with a timer that its data does not mention, or with what `current` carries, the state of a
    /// session that is forced into this one.
    func completed(_ restored: State, from current: State?) throws -> State

    /// Refuses a restored or forced state that no transition could have led to: its data come from outside.
    func check(_ restored: State) throws(FlowError)

    /// Whether the session ends in this state.
    func isFinal(_ state: State) -> Bool

    /// The screen to show, computed from the state alone.
    func screen(for state: State) -> Screen

    /// Effects that the steps up to this state have requested and that are not done yet. Called only if the definition sets `hasEffects`.
    func outbox(of state: State) -> Outbox?

    /// The sessions that run for this state: it has begun them, and a restart looks for them.
    func children(of state: State) -> [ChildSession]

    /// Stores with the state the stage of a child that was reported; nil says that the child no longer exists. A step that waits for a hook has
    /// made its state already, which gets the stage, too.
    func setStage(_ stage: ChildSession.Stage?, ofChild id: String, in state: State)

    /// The output that a final state hands to the session that waits for it; nil for its data, as they are shown.
    func output(of state: State) -> JSON?
}

extension Flow {
    /// The plan as it is listed.
    @inlinable public func plan(_ timer: TimerPlan) -> TimerPlan { timer }
    /// Runs the transition that is selected.
    @inlinable public func step(from state: State, on event: Event) throws(FlowError) -> State {
        let transition = try transition(from: state, on: event)
        do {
            return try transition()
        } catch {
            throw FlowError(error)
        }
    }
    /// Needs nothing.
    @inlinable public func beginTrials() {}
    /// Tries it: nothing happens until a transition is run.
    @inlinable public func accepts(_ event: Event, in state: State) -> Bool {
        do throws(FlowError) {
            _ = try transition(from: state, on: event)
            return true
        } catch {
            // A pattern, since `==` of errors compares texts, and a refusal tries all events of its flow.
            if case .postpone = error { return true }
            return false
        }
    }
    /// Nil: the state's type decodes it.
    @inlinable public func restored(_ image: SessionImage, from current: State?) throws -> State? { nil }
    /// Adds nothing.
    public func completed(_ restored: State, from current: State?) throws -> State { restored }
    /// Refuses nothing.
    public func check(_ restored: State) throws(FlowError) {}
    /// No state is final.
    public func isFinal(_ state: State) -> Bool { false }
    /// The state's name, spelled out, as the title.
    public func screen(for state: State) -> Screen { Screen(title: state.name.spelledOut) }
    /// Nothing.
    @inlinable public func outbox(of state: State) -> Outbox? { nil }
    /// None.
    public func children(of state: State) -> [ChildSession] { [] }
    /// Keeps nothing.
    public func setStage(_ stage: ChildSession.Stage?, ofChild id: String, in state: State) {}
    /// Its data.
    public func output(of state: State) -> JSON? { nil }
}

/// A flow defined by its Swift type.
///
///     struct Lamp: TypedFlow {
///         enum State: FlowState { case off, on(glow: Countdown) }
///         enum Event { case press, timeIsUp }
///
///         static let events = Catalogue<Event>(.plain(.press), .timer(.timeIsUp))
///         static let glow = TimerPlan.countdown("glow", .seconds(120), message: Event.timeIsUp)
///         static let timers = [glow]
///         let clock: FlowClock
///         …
///     }
public protocol TypedFlow: Flow {
    /// The flow's name. By default the type's name with a small first letter.
    static var name: String { get }
    /// The names of all states, in display order. By default those of the enum's cases.
    static var states: [String] { get }
    /// Every event, with its payload and its permitted sources.
    static var events: Catalogue<Event> { get }
    /// Every timer that its states may carry.
    static var timers: [TimerPlan] { get }
    /// Bounds of the parameters. Their names, types and defaults come from `Context`.
    static var parameters: [Parameter] { get }
    /// Bounds of the values that its states carry. Data from `FORCE`, `NEW` or a store are checked against them at each value of that name. A rule
    /// that no bound can express belongs in `check`. An event's payload can be declared with the same value.
    static var fields: [PayloadKind] { get }
    /// Problems of the definition that show without running the flow: a sentence each.
    static var complaints: [String] { get }
    /// Adds what the form of the flow needs, before `configure`: a delegated flow notifies its delegate.
    static func prepare(_ definition: inout FlowDefinition<Self>)
    /// Adds the flow's validators, hooks and orchestrators.
    static func configure(_ definition: inout FlowDefinition<Self>)

    /// Makes a session's flow, without parameters.
    init(clock: FlowClock)
    /// Makes a session's flow.
    init(clock: FlowClock, context: Context)
}

extension TypedFlow {
    /// The type's name with a small first letter.
    public static var name: String {
        let name = String(describing: Self.self)
        return name.prefix(1).lowercased() + name.dropFirst()
    }
    /// The names of the enum's cases.
    public static var states: [String] { State.allNames }
    /// No timers.
    public static var timers: [TimerPlan] { [] }
    /// No bounds: names, types and defaults come from `Context`.
    public static var parameters: [Parameter] { [] }
    /// No bounds.
    public static var fields: [PayloadKind] { [] }
    /// Nothing is wrong.
    public static var complaints: [String] { [] }
    /// Adds nothing.
    public static func prepare(_ definition: inout FlowDefinition<Self>) {}
    /// Adds nothing.
    public static func configure(_ definition: inout FlowDefinition<Self>) {}

    /// The type's definition, shared by all instances.
    public static var definition: FlowDefinition<Self> {
        var definition = FlowDefinition<Self>(
            name: name, states: states, events: events, timers: timers, parameters: allParameters,
            fields: fields)
        definition.complaints = complaints + unknownParameters
        prepare(&definition)
        configure(&definition)
        return definition
    }

    /// The type's definition.
    public var definition: FlowDefinition<Self> { Self.definition }
}

extension TypedFlow where Context == NoContext {
    /// The flow on its clock; there are no parameters.
    @inlinable public init(clock: FlowClock, context: Context) { self.init(clock: clock) }
}

extension TypedFlow where Context: SessionContext {
    /// With every parameter at its default.
    public init(clock: FlowClock) { self.init(clock: clock, context: Context()) }
}

/// Why a selector has no transition.
public enum FlowError: Error, Equatable {
    /// The event is not valid in this state. The machine adds the event, the state, and what would be accepted.
    case transitionNotFound
    /// Postpone the event until the next change of state.
    case postpone
    /// The event is valid here, but not with this payload. The message names the problem and a valid payload.
    case refused(String)
    /// The payload is not as the flow declares it.
    indirect case badPayload(PayloadProblem)
}

extension FlowError: CustomStringConvertible {
    /// The sentence for the sender of the event.
    public var description: String {
        switch self {
        case .transitionNotFound: "the event is not valid here"
        case .postpone: "the event cannot be postponed before it is decoded"
        case .refused(let message): message
        case .badPayload(let problem): problem.sentence
        }
    }

    /// Wraps any error that a transition throws.
    @usableFromInline
    init(_ error: any Error) {
        self = error as? FlowError ?? .refused(Self.words(for: error))
    }

    /// The text of any error for the event's sender. An error without a description is named.
    @usableFromInline
    static func words(for error: any Error) -> String {
        error is any CustomStringConvertible
            ? "\(error)" : "the flow has thrown \(error); it can throw FlowError.refused(…) to say what would be right"
    }
}

// MARK: - The screen of a session, computed from its state and never stored.

/// A flow's texts and progress for a state, for clients to show.
public struct Screen: Sendable, Equatable {
    /// The heading.
    public var title: String
    /// The text below the heading; may be empty.
    public var text: String
    /// Overall progress from 0 to 1, where that means something.
    public var progress: Double?

    /// A screen; only the title must be given.
    public init(title: String, text: String = "", progress: Double? = nil) {
        self.title = title
        self.text = text
        self.progress = progress
    }
}
