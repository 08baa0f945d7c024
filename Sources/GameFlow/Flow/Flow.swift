// What a flow is: its states, its events, its timers, and the selector that says which transition an event takes.

import Timers

/// A kind of process. An instance serves one session: it keeps that session's clock and nothing that changes.
public protocol Flow: SendableMetatype {
    /// Where a session is, with all its data and the timers that live as long as the state does.
    associatedtype State: FlowState
    /// What can happen.
    associatedtype Event: Sendable
    /// Run, it leaves the session in a new state.
    typealias Transition = () throws -> State

    /// What people call this flow.
    static var name: String { get }
    /// The names of all states, in the order in which they should be shown.
    static var states: [String] { get }
    /// Every event, with what it carries and who may send it.
    static var events: Catalogue<Event> { get }
    /// Every timer that its states may carry.
    static var timers: [TimerPlan] { get }
    /// What belongs to every machine of this flow: validators, hooks, orchestrators.
    static func setUp(_ setup: MachineSetup<Self>)
    /// Who may send an event: what the catalogue says.
    static func sources(of event: Event) -> EventSources

    /// The session's own time.
    var clock: FlowClock { get }

    func initialState() throws -> State

    /// The transition that `event` takes in `state`. It only selects: nothing happens before the transition is run.
    func transition(from state: State, on event: Event) throws(FlowError) -> Transition

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
    public static var timers: [TimerPlan] { [] }
    public static func setUp(_ setup: MachineSetup<Self>) {}
    public func completed(_ restored: State) throws -> State { restored }
    public func check(_ restored: State) throws(FlowError) {}
    public func isFinal(_ state: State) -> Bool { false }
    public func screen(for state: State) -> Screen { Screen(title: state.name.spelledOut) }
}

/// A state has a name, and can be saved and restored.
public protocol FlowState: Codable, SendableMetatype {
    /// What clients are told. By default the name of the enum's case, which takes a while to find out: a flow that is in a hurry
    /// says it itself.
    var name: String { get }

    /// The state of that name with this data.
    static func restored(_ name: String, _ data: JSON, _ restoring: Restoring) throws -> Self
}

extension FlowState {
    public var name: String { caseName(of: self) }
}

/// An event that is no enum's case, and says its name itself.
public protocol NamedEvent {
    var eventName: String { get }
}

/// The name of an enum's case, whatever it carries.
@usableFromInline
func caseName(of value: some Any) -> String {
    if let named = value as? any NamedEvent { return named.eventName }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum, let label = mirror.children.first?.label else { return "\(value)" }
    return label
}

extension String {
    /// `choosingLevel` as people write it: `Choosing level`.
    public var spelledOut: String {
        var words = ""
        for letter in self {
            if letter.isUppercase && !words.isEmpty { words += " " }
            words += words.isEmpty ? letter.uppercased() : letter.lowercased()
        }
        return words
    }
}
