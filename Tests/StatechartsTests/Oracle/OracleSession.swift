// The state of an oracle's run: the global variables of W3C SCXML's algorithm, and the additions of flow files.

import Statecharts
import JSON

/// The data of a session that `AppendixD` runs.
class OracleSession {
    let doc: ChartDefinition
    let parents: [Int?]
    let kinds: [ChartStateNode.Kind]
    let expressions: [OracleExpression]

    // MARK: The specification's global variables

    var configuration = OrderedSet()
    var statesToInvoke = OrderedSet()
    var internalQueue = Queue<OracleEvent>()
    var historyValue: [Int: List<Int>] = [:]
    var datamodel: [JSON]
    /// `datamodel["_event"]`
    var event: OracleEvent?
    var running = false

    // MARK: Not SCXML: a platform with time, and effects that are recorded instead of performed

    /// In nanoseconds.
    var now = 0
    var armings = 0
    var timers: [OracleTimer] = []
    var invoked = OrderedSet()
    var effects = Effects()
    /// A macrostep with more microsteps, or more events raised, counts as endless.
    let maxRounds: Int
    /// The count in this macrostep.
    var microsteps = 0
    var raised = 0
    /// Whether a macrostep has had too many.
    var wasEndless = false
    /// Whether timers fire in a cycle, so that time cannot pass.
    var stopsTime = false
    /// Each state's transitions: an exact descriptor before a prefix, a longer prefix before a shorter one, `*` last.
    let transitionsByDescriptor: [List<Int>]

    required init(_ doc: ChartDefinition, maxRounds: Int) throws {
        self.doc = doc
        self.maxRounds = maxRounds
        parents = doc.states.map(\.parent)
        kinds = doc.states.map(\.kind)
        expressions = try doc.expressions.map { try OracleExpression($0.text) }
        datamodel = doc.context.map(\.initial)
        transitionsByDescriptor = doc.states.map { state in
            let ranks = Set(state.transitions.map { doc.transitions[$0].trigger.rank }).sorted()
            return ranks.flatMap { rank in state.transitions.sorted().filter { doc.transitions[$0].trigger.rank == rank } }
        }
    }

    /// Not SCXML: an external event is applied as a whole or changes nothing.
    func wholly(_ step: () throws -> Void) rethrows {
        let (configuration, statesToInvoke, historyValue) = (configuration, statesToInvoke, historyValue)
        let (datamodel, event, running) = (datamodel, event, running)
        let (timers, invoked, effects) = (timers, invoked, effects)
        do {
            try step()
        } catch {
            (self.configuration, self.statesToInvoke, self.historyValue) = (configuration, statesToInvoke, historyValue)
            (self.datamodel, self.event, self.running) = (datamodel, event, running)
            (self.timers, self.invoked, self.effects) = (timers, invoked, effects)
            internalQueue = Queue()
            throw error
        }
    }
}

extension Trigger {
    /// Not SCXML: the order of transitions in a state.
    fileprivate var rank: Int {
        switch self {
        case .event(.exact), .always, .timer, .milestone, .initial: Int.min
        case .event(.prefix(let prefix)): -prefix.count
        case .event(.any): Int.max
        }
    }
}
