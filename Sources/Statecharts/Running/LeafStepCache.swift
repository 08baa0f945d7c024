// Steps that are nothing but a leaf and a timer, worked out once and kept in plain memory: such a step counts no references, which
// would take longer than the step. It is what most events of most flows are.

import Memory
import Timers

/// The effect of an event in a leaf.
struct QuickStep {
    enum Kind: UInt8 {
        /// Not looked at yet.
        case unknown
        /// Not that simple.
        case none
        /// It leads to a leaf, and begins the leaf's timer if it has one.
        case quick
    }

    var kind = Kind.unknown
    /// The index of the leaf that it leads to.
    var leafPlace: UInt16 = 0
    var timerNumber: UInt16 = 0
    var timer: Borrowed<TimerPlan>?
}

/// The quick steps of a chart, by leaf and event. Large charts do without.
final class LeafStepCache {
    private static let largestTable = 1 << 14

    private let width: Int
    private let count: Int
    @exclusivity(unchecked) private var steps: ContiguousArray<QuickStep>

    init(_ chart: Chart) {
        width = chart.events.specs.count
        let wanted = chart.leaves.count * width
        count = wanted <= Self.largestTable ? wanted : 0
        steps = ContiguousArray(repeating: QuickStep(), count: count)
    }

    /// The step, if it is one; `learn` finds out once.
    @inline(__always)
    func step(ofLeaf place: UInt16, event: Int, learn: () -> QuickStep) -> QuickStep? {
        let index = Int(place) &* width &+ event
        guard index < count else { return nil }
        if steps[index].kind == .unknown { steps[index] = learn() }
        return steps[index].kind == .quick ? steps[index] : nil
    }
}

extension QuickStep {
    /// The first transition of the chain, where it has no guard and a plain plan, and no timer goes on.
    init(_ chain: Chain, _ chart: Chart, _ plans: ChartPlans) {
        guard !chart.hasBack, let candidate = chain.candidates.first, candidate.condition == nil, let plan = candidate.plan, plan.isPlain,
            !plan.keepsTimers
        else {
            kind = .none
            return
        }
        kind = .quick
        leafPlace = UInt16(truncatingIfNeeded: chart.leafPlaces[plan.leaf])
        if let number = plan.timers.first {
            timerNumber = UInt16(truncatingIfNeeded: number)
            timer = Borrowed(plans.plans[number])
        }
    }
}
