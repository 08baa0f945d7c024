// How a state comes back to life: what it needs for that, and what is kept from one session to the next.

import Texts
import Timers

/// What a state needs to come back to life: the clock its timers run on, the plans they follow, and how long it was away.
public final class Restoring {
    /// Where a decoder has it, in its `userInfo`.
    public static let key = CodingUserInfoKey(rawValue: "gamed.restoring").unsafelyUnwrapped

    @exclusivity(unchecked) private(set) var clock: FlowClock
    let plans: [TimerPlan]
    /// The name of the state that comes back: what a state that is no enum is told by.
    public let stateName: String
    /// How much time has passed since the state was saved; nothing, if its clock stood still.
    @exclusivity(unchecked) private var away: Duration
    /// Timers that were saved apart from the state, and have not come back yet.
    @exclusivity(unchecked) private var timers: ArraySlice<TimerImage>
    /// Makes a plan the session's own, where lengths depend on its parameters.
    @exclusivity(unchecked) @usableFromInline var adapt: ((TimerPlan) -> TimerPlan)?
    /// The state without anything but its name and its timers.
    let bareState: JSON
    /// The decoder that is used again, while it is there and nobody uses it.
    fileprivate var decoder: Borrowed<StateDecoder>?

    public init(
        on clock: FlowClock, plans: [TimerPlan], stateName: String, away: Duration = .zero, timers: ArraySlice<TimerImage> = []
    ) {
        self.timers = timers
        self.clock = clock
        self.plans = plans
        self.stateName = stateName
        self.away = away
        bareState = .object([.init(stateName, .object([]))])
    }

    fileprivate func begin(on clock: FlowClock, away: Duration, timers: ArraySlice<TimerImage>) {
        self.clock = clock
        self.away = away
        self.timers = timers
        adapt = nil
    }

    /// Reads a state, or a part of one, out of JSON. Timers in it run on the session's clock.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, from json: JSON) throws -> Value {
        guard let kept = decoder?.object else {
            return try StateDecoder(self, isKept: false).decode(type, from: json)
        }
        decoder = nil
        defer { decoder = Borrowed(kept) }
        return try kept.decode(type, from: json)
    }

    /// The plan of a timer that a state carries under `label`: the one that ran, if it was saved apart; else the one called like the
    /// label or like the state, and where no timer is called so, the one that the data names.
    func plan(_ kind: TimerPlan.Kind, savedAs saved: JSON?, label: String) throws -> TimerPlan {
        let plan = try listedPlan(kind, savedAs: saved, label: label)
        return adapt.map { $0(plan) } ?? plan
    }

    private func listedPlan(_ kind: TimerPlan.Kind, savedAs saved: JSON?, label: String) throws -> TimerPlan {
        let said = saved?["timer"]?.text
        let own = plan(kind, named: label) ?? plan(kind, named: stateName)
        if let ran = planThatRan(kind, said, own) { return ran }
        if let own {
            guard let said, said != own.name else { return own }
            throw RestoringError("'\(stateName)' carries the timer '\(own.name)' there, and not '\(said.shortened)'")
        }
        if let said, let plan = plan(kind, named: said) { return plan }
        let name = [said, label, stateName].compactMap { $0 }.first { !$0.hasPrefix("_") } ?? label
        throw RestoringError(
            "the flow has no \(kind.rawValue) '\(name.shortened)' for '\(stateName)': label the value with the timer's name")
    }

    /// By the timers that were saved apart. Where neither the data nor the names tell which of them it was, the one made first.
    private func planThatRan(_ kind: TimerPlan.Kind, _ said: String?, _ own: TimerPlan?) -> TimerPlan? {
        if timers.isEmpty { return nil }
        if let said, let plan = plan(kind, named: said), hasImage(of: plan) { return plan }
        if let own, hasImage(of: own) { return own }
        return timers.last { $0.kind == kind }.flatMap { plan(kind, named: $0.name) }
    }

    private func plan(_ kind: TimerPlan.Kind, named name: String) -> TimerPlan? {
        plans.first { $0.kind == kind && $0.name == name }
    }

    private func place(of plan: TimerPlan) -> Int? {
        timers.firstIndex { $0.name == plan.name && $0.kind == plan.kind }
    }

    private func hasImage(of plan: TimerPlan) -> Bool { place(of: plan) != nil }

    /// How a timer of this plan stood, if it was saved apart.
    func image(of plan: TimerPlan) -> TimerImage? {
        guard let index = place(of: plan) else { return nil }
        // Mostly it is the next one, and then nothing has to be copied.
        return index == timers.startIndex ? timers.removeFirst() : timers.remove(at: index)
    }

    /// What is left of a timer by its restart policy, saved with `remaining` left.
    func left(_ remaining: Duration, _ plan: TimerPlan, isPaused: Bool) -> Duration {
        switch plan.restart {
        case .keep: isPaused ? remaining : remaining - away
        case .freeze: remaining
        case .restart: plan.length
        }
    }
}

/// Everything that is the same for all sessions that come back in one state of one flow. Made once, since to make it takes longer
/// than to restore a session.
@usableFromInline
final class StateRestorer {
    let restoring: Restoring
    private let decoder: StateDecoder
    @exclusivity(unchecked) private var isBusy = false

    init(_ restoring: Restoring) {
        self.restoring = restoring
        decoder = StateDecoder(restoring, isKept: true)
        restoring.decoder = Borrowed(decoder)
    }

    deinit {
        restoring.decoder = nil
        decoder.forget()
    }

    /// What the next session is restored with, until `end`. In the middle of restoring a state, somebody may restore another one of
    /// that name: that one has nothing to reuse.
    @usableFromInline
    func begin(on clock: FlowClock, away: Duration, timers: ArraySlice<TimerImage>) -> Restoring {
        guard !isBusy else {
            return Restoring(on: clock, plans: restoring.plans, stateName: restoring.stateName, away: away, timers: timers)
        }
        isBusy = true
        restoring.begin(on: clock, away: away, timers: timers)
        return restoring
    }

    @usableFromInline
    func end(_ used: Restoring) {
        if used === restoring { isBusy = false }
    }
}

/// Why a saved state cannot be restored, in a sentence.
public struct RestoringError: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) {
        self.description = description
    }
}
