// What a flow is: its states, its events, its timers, and the selector that says which transition an event takes.

import Timers

/// A process made of states, events and time. An instance serves one session: it keeps that session's clock and parameters, and
/// nothing that changes.
///
/// What a flow is made of is a value, its `definition`. Most flows are `TypedFlow`s, whose Swift type is the definition; one that is
/// read from a file makes its definition at run time, and is a flow like any other.
public protocol Flow: SendableMetatype {
    /// Where a session is, with all its data and the timers that live as long as the state does.
    associatedtype State: FlowState
    /// What can happen.
    associatedtype Event: Sendable
    /// What a session can be begun with.
    associatedtype Context: Codable & Sendable = NoContext
    /// Run, it leaves the session in a new state.
    typealias Transition = () throws -> State

    /// What this flow is made of.
    var definition: FlowDefinition<Self> { get }

    /// The session's own time.
    var clock: FlowClock { get }

    /// Where a session begins.
    func initialState() throws -> State

    /// The transition that `event` takes in `state`. It only selects: nothing happens before the transition is run.
    func transition(from state: State, on event: Event) throws(FlowError) -> Transition

    /// A timer as this session has it: its length may depend on the session's parameters. What is restored follows it too.
    func plan(_ timer: TimerPlan) -> TimerPlan

    /// Puts the last touch to a state that was not reached by a transition, such as a timer that its data did not mention.
    func completed(_ restored: State) throws -> State

    /// Refuses a state that was not reached by a transition, and that no transition leads to: what it carries came from outside.
    func check(_ restored: State) throws(FlowError)

    /// Whether nothing more will come.
    func isFinal(_ state: State) -> Bool

    /// What is to be shown, computed from the state alone.
    func screen(for state: State) -> Screen
}

extension Flow {
    @inlinable public func plan(_ timer: TimerPlan) -> TimerPlan { timer }
    public func completed(_ restored: State) throws -> State { restored }
    public func check(_ restored: State) throws(FlowError) {}
    public func isFinal(_ state: State) -> Bool { false }
    public func screen(for state: State) -> Screen { Screen(title: state.name.spelledOut) }
}

/// A flow whose Swift type is its definition.
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
    /// What people call this flow: the type's name with a small first letter, unless it says otherwise.
    static var name: String { get }
    /// The names of all states, in the order in which they should be shown: those of the enum's cases, unless it says otherwise.
    static var states: [String] { get }
    /// Every event, with what it carries and who may send it.
    static var events: Catalogue<Event> { get }
    /// Every timer that its states may carry.
    static var timers: [TimerPlan] { get }
    /// What may be said of a session's parameters: their bounds, beside the names, types and defaults that `Context` has.
    static var parameters: [Parameter] { get }
    /// What is wrong with the definition, as far as it is seen without running the flow: a sentence each.
    static var complaints: [String] { get }
    /// Adds what belongs to every session of this flow: validators, hooks, orchestrators.
    static func configure(_ definition: inout FlowDefinition<Self>)

    /// A session's flow, where there are no parameters.
    init(clock: FlowClock)
    /// A session's flow.
    init(clock: FlowClock, context: Context)
}

extension TypedFlow {
    public static var name: String {
        let name = String(describing: Self.self)
        return name.prefix(1).lowercased() + name.dropFirst()
    }
    public static var states: [String] { State.allNames }
    public static var timers: [TimerPlan] { [] }
    public static var parameters: [Parameter] { [] }
    public static var complaints: [String] { [] }
    public static func configure(_ definition: inout FlowDefinition<Self>) {}

    /// The type's definition, which all its instances have.
    public static var definition: FlowDefinition<Self> {
        var definition = FlowDefinition<Self>(
            name: name, states: states, events: events, timers: timers, parameters: allParameters)
        definition.complaints = complaints
        configure(&definition)
        return definition
    }

    public var definition: FlowDefinition<Self> { Self.definition }
}

extension TypedFlow where Context == NoContext {
    @inlinable public init(clock: FlowClock, context: Context) { self.init(clock: clock) }
}

extension TypedFlow where Context: SessionContext {
    /// With every parameter at its default.
    public init(clock: FlowClock) { self.init(clock: clock, context: Context()) }
}
