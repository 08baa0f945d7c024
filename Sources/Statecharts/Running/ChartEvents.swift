// The events of a chart, by number: those of its catalogue, those of the platform and of timers, and those that only its own actions
// raise.

import GameFlow
import Memory

/// One kind of event.
final class ChartEventSpec: Sendable {
    let name: String
    let number: Int
    /// Whether it is a timer's firing, which is matched by nothing but that timer's transitions.
    let isOfTimer: Bool
    /// Whether clients may give it a payload.
    let mayCarry: Bool

    init(_ name: String, _ number: Int, isOfTimer: Bool = false, mayCarry: Bool = false) {
        self.name = name
        self.number = number
        self.isOfTimer = isOfTimer
        self.mayCarry = mayCarry
    }
}

/// An event that a chart handles.
struct ChartEvent: NamedEvent, @unchecked Sendable {
    /// Data that only some events have.
    private final class Details: Sendable {
        let data: JSON?
        let delayed: UInt32

        init(_ data: JSON?, _ delayed: UInt32) {
            self.data = data
            self.delayed = delayed
        }
    }

    // Not counted, as it is in every event: its chart holds it, and the holder of an event holds its kind of flow.
    private let reference: Borrowed<ChartEventSpec>
    private let details: Details?

    init(_ spec: ChartEventSpec, _ data: JSON? = nil, delayed: UInt32 = 0) {
        reference = Borrowed(spec)
        details = data == nil && delayed == 0 ? nil : Details(data, delayed)
    }

    var spec: ChartEventSpec { reference.object }
    var number: Int { reference.with { $0.number } }
    var data: JSON? { details?.data }
    /// The number of the delayed event that is due; 0 for others.
    var delayed: UInt32 { details?.delayed ?? 0 }
    var isPlain: Bool { details == nil }

    var eventName: String { spec.name }
    var carried: JSON? { data }
}

/// All events of a chart. Those that a machine handles come first, so that their numbers are the machine's too.
struct ChartEvents: Sendable {
    private(set) var specs: [ChartEventSpec] = []
    /// The events with a name: the catalogue's and the platform's.
    let entries: [ChartEventEntry]
    /// The event of each timer, and those of its milestones.
    private(set) var timers: [ChartEventSpec] = []
    private(set) var milestones: [[ChartEventSpec]] = []
    private var numbers: [String: Int] = [:]

    init(_ definition: ChartDefinition) {
        entries = definition.events + Platform.events(of: definition)
        for entry in entries { add(entry.name, mayCarry: entry.carriesAnything || entry.payload != nil) }
        for timer in definition.timers {
            timers.append(addTimer(timer.eventName))
            milestones.append(timer.milestones.map { addTimer(timer.eventName(at: $0)) })
        }
        for name in Platform.internalEvents(of: definition) where numbers[name] == nil { add(name) }
    }

    private mutating func add(_ name: String, mayCarry: Bool = false) {
        numbers[name] = specs.count
        specs.append(ChartEventSpec(name, specs.count, mayCarry: mayCarry))
    }

    private mutating func addTimer(_ name: String) -> ChartEventSpec {
        let spec = ChartEventSpec(name, specs.count, isOfTimer: true)
        specs.append(spec)
        return spec
    }

    /// The event of that name; nil if the chart does not name it.
    func named(_ name: String) -> ChartEventSpec? { numbers[name].map { specs[$0] } }

    /// Every event that a transition or an action names has a number.
    func number(of name: String) -> Int { numbers[name] ?? -1 }
}

extension ChartTimer {
    /// The event that it sends, as the history tells it.
    var eventName: String { (kind == .countdown ? "after." : "every.") + name }

    func eventName(at left: Duration) -> String { "left.\(left.written).\(name)" }
}

/// Events that no catalogue lists: what becomes of states, child sessions and messages.
enum Platform {
    private static let undelivered = "error.communication"
    static let (doneState, doneChild, failedChild) = ("done.state.", "done.invoke.", "error.invoke.")
    private static let families = [doneState, doneChild, failedChild]

    static func sent(_ event: String) -> String { "send." + event }
    static func done(state: String) -> String { doneState + state }
    static func done(child: String) -> String { doneChild + child }
    static func failed(child: String) -> String { failedChild + child }

    static func contains(_ name: String) -> Bool { name == undelivered || families.contains(where: name.hasPrefix) }

    /// Whether some of them begin with this word or words.
    static func begin(with prefix: String) -> Bool {
        (families + [undelivered]).contains { $0.hasPrefix(prefix + ".") || (prefix + ".").hasPrefix($0) }
    }

    /// The events that come from outside of the session.
    static func events(of definition: ChartDefinition) -> [ChartEventEntry] {
        var names = definition.invocations.flatMap { [done(child: $0.id), failed(child: $0.id)] }
        if definition.sends { names.append(undelivered) }
        let delayed = definition.allActions.compactMap(\.delayed?.event)
        var seen = Set(definition.events.map(\.name))
        return names.filter { seen.insert($0).inserted }.map {
            ChartEventEntry(name: $0, carriesAnything: true, sources: .orchestrators)
        }
            + delayed.filter { seen.insert($0).inserted }.map {
                ChartEventEntry(name: $0, carriesAnything: true, sources: .timers)
            }
    }

    /// The events that a session raises by itself, or that its transitions wait for.
    static func internalEvents(of definition: ChartDefinition) -> [String] {
        let done = definition.states.filter { $0.kind == .compound || $0.kind == .parallel }.map { state in
            Platform.done(state: state.path.isEmpty ? definition.name : state.path)
        }
        let named = definition.transitions.compactMap { transition -> String? in
            guard case .event(.exact(let name)) = transition.trigger else { return nil }
            return name
        }
        return done + named + definition.allActions.compactMap(\.raised?.event)
    }
}
