// Restores states: the inputs for a state, and the objects that are reused for the next session.

import Memory
import Texts

/// The inputs for restoring a state: the clock and the plans of its timers, and how much time has passed since it was saved.
public final class RestorationContext {
    /// Its key in a decoder's `userInfo`.
    public static let key = CodingUserInfoKey(rawValue: "gamed.restoring").proven

    private(set) var clock: FlowClock
    let plans: [TimerPlan]
    /// The values that data need not give, by name.
    let standards: [String: JSON]
    /// The name of the state to restore, for states that are not enums.
    public let stateName: String
    /// Whether a machine saved the state, so that it is complete. Data that a client gives to begin in a state, or to force one, need not be
    /// complete.
    public private(set) var isSaved: Bool
    /// Whether members of the data that the state does not ask for are an error.
    private(set) var refusesUnknown = false
    /// How much time has passed since the state was saved; zero if its clock was frozen. Nil if there was no downtime: the session has run on, or a
    /// client gives the data.
    package private(set) var away: Duration?
    /// Timers that were saved apart from the state, and are not restored yet.
    private var timers: ArraySlice<TimerImage>
    /// Adapts a plan to the session, where lengths depend on its parameters. Changes with each session: this object is used again for all
    /// that are restored in its state.
    fileprivate var adapt: ((TimerPlan) -> TimerPlan)?
    /// The state with its name and timers only.
    let bareState: JSON
    /// The decoder to use again, while it is free.
    fileprivate var decoder: Borrowed<StateDecoder>?

    /// For a state of that name, which was saved `away` ago; nil without a downtime. `timers` were kept apart from it.
    public init(
        on clock: FlowClock, plans: [TimerPlan], stateName: String, standards: [String: JSON] = [:], away: Duration? = nil,
        timers: ArraySlice<TimerImage> = [], isSaved: Bool = false
    ) {
        self.standards = standards
        self.timers = timers
        self.isSaved = isSaved
        self.clock = clock
        self.plans = plans
        self.stateName = stateName
        self.away = away
        bareState = .object([.init(stateName, .object([]))])
    }

    fileprivate func begin(on clock: FlowClock, _ image: SessionImage) {
        self.clock = clock
        (away, timers, isSaved, refusesUnknown) = (image.awayOnClock, image.timers, image.isSaved, image.refusesUnknown)
        adapt = nil
    }

    /// Decodes a state, or a part of one, from JSON. Its timers run on the session's clock.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, from json: JSON) throws -> Value {
        guard let kept = decoder?.object else {
            return try StateDecoder(self, isKept: false).decode(type, from: json)
        }
        decoder = nil
        defer { decoder = Borrowed(kept) }
        return try kept.decode(type, from: json)
    }

    /// The plan of a timer that a state carries under `label`: the one that ran, if it was saved apart; else the one named like the
    /// label or the state; else the one that the data names.
    func plan(_ kind: TimerPlan.Kind, savedAs saved: JSON?, label: String) throws -> TimerPlan {
        let plan = try listedPlan(kind, savedAs: saved, label: label)
        return adapt.map { $0(plan) } ?? plan
    }

    private func listedPlan(_ kind: TimerPlan.Kind, savedAs saved: JSON?, label: String) throws -> TimerPlan {
        let savedName = saved?["timer"]?.text
        let own = plan(kind, named: label) ?? plan(kind, named: stateName)
        if let ran = planThatRan(kind, savedName, own) { return ran }
        if let own {
            guard let savedName, savedName != own.name else { return own }
            throw RestorationError("'\(stateName)' carries the timer '\(own.name)' there, not '\(savedName.shortened)'")
        }
        if let savedName, let plan = plan(kind, named: savedName) { return plan }
        let name = [savedName, label, stateName].compactMap { $0 }.first { !$0.hasPrefix("_") } ?? label
        throw RestorationError(
            "the flow has no \(kind.rawValue) '\(name.shortened)' for '\(stateName)': label the value with the timer's name")
    }

    /// The plan by the timers that were saved apart. If the data and the names do not decide, the timer made first.
    private func planThatRan(_ kind: TimerPlan.Kind, _ savedName: String?, _ own: TimerPlan?) -> TimerPlan? {
        if timers.isEmpty { return nil }
        if let savedName, let plan = plan(kind, named: savedName), index(of: plan) != nil { return plan }
        if let own, index(of: own) != nil { return own }
        return timers.last { $0.kind == kind }.flatMap { plan(kind, named: $0.name) }
    }

    private func plan(_ kind: TimerPlan.Kind, named name: String) -> TimerPlan? {
        plans.first { $0.kind == kind && $0.name == name }
    }

    private func index(of plan: TimerPlan) -> Int? {
        timers.firstIndex { $0.name == plan.name && $0.kind == plan.kind }
    }

    /// The saved timer of this plan, if it was saved apart. `json` is the timer in the state's data.
    func image(of plan: TimerPlan, savedAs json: JSON?) -> TimerImage? {
        guard let newest = index(of: plan) else { return nil }
        // A state can have several timers of one plan. The older one may also be of the former state, if the image was made within the step.
        let index = isOnly(newest, of: plan) ? newest : index(of: plan, savedAs: json) ?? newest
        // It is mostly the next one, which is removed without copying.
        return index == timers.startIndex ? timers.removeFirst() : timers.remove(at: index)
    }

    private func isOnly(_ index: Int, of plan: TimerPlan) -> Bool {
        !timers[(index + 1)...].contains { $0.name == plan.name && $0.kind == plan.kind }
    }

    /// The one with this remaining time.
    private func index(of plan: TimerPlan, savedAs json: JSON?) -> Int? {
        let (left, isPaused) = (json?["remaining_ns"]?.integer, json?["paused"]?.boolean)
        return timers.lastIndex { timer in
            timer.name == plan.name && timer.kind == plan.kind && timer.isPaused == isPaused
                && timer.left.map { Int($0.wholeNanoseconds) } == left
        }
    }
}

extension TimerPlan {
    /// Returns the remaining time after a downtime of `away`, by the restart policy; `remaining` itself if `away` is nil.
    package func left(of remaining: Duration, away: Duration?, isPaused: Bool) -> Duration {
        guard let away else { return remaining }
        return switch restart {
        case .keep: isPaused ? remaining : remaining - away
        case .freeze: remaining
        case .restart: length
        }
    }

    /// Whether the timer starts again with its full length after that downtime; nil for none.
    package func startsOver(after away: Duration?) -> Bool { away != nil && restart == .restart }
}

/// The part shared by all sessions restored in one state of one flow. Making it takes longer than restoring a session, so it is made once.
@usableFromInline
final class StateRestorer {
    let restoring: RestorationContext
    private let decoder: StateDecoder
    private var isBusy = false
    /// Makes the state from its countdown; nil until that is known, and for states that carry anything else.
    private var fromCountdown: (maker: AnyObject, plan: TimerPlan)?
    private var isLearnt = false

    init(_ restoring: RestorationContext) {
        self.restoring = restoring
        decoder = StateDecoder(restoring, isKept: true)
        restoring.decoder = Borrowed(decoder)
    }

    deinit {
        restoring.decoder = nil
        decoder.forget()
    }

    /// Begins restoring the next session, until `end`. Restoring a state can restore another one of the same name inside, which then
    /// has nothing to reuse.
    private func begin(on clock: FlowClock, _ image: SessionImage) -> RestorationContext {
        guard !isBusy else {
            let other = RestorationContext(
                on: clock, plans: restoring.plans, stateName: restoring.stateName, standards: restoring.standards)
            other.begin(on: clock, image)
            return other
        }
        isBusy = true
        restoring.begin(on: clock, image)
        return restoring
    }

    private func end(_ used: RestorationContext) {
        if used === restoring { isBusy = false }
    }

    /// The state, as `State.restored` makes it. A state that carries a countdown and nothing else needs no decoding. `adapt` adapts plans to the
    /// session; nil if they are the same for all.
    @usableFromInline
    func state<State: FlowState>(
        _ image: SessionImage, on clock: FlowClock, _ adapt: ((TimerPlan) -> TimerPlan)?
    ) throws -> State {
        let timer = Self.onlyTimer(of: image)
        if let timer, let (maker, plan) = fromCountdown, timer.kind == .countdown, timer.name == plan.name {
            let countdown = try Countdown(timer, adapt?(plan) ?? plan, on: clock, away: image.awayOnClock)
            return proven(maker, is: CaseMaker<State>.self).make(countdown)
        }
        let restoring = begin(on: clock, image)
        restoring.adapt = adapt
        defer { end(restoring) }
        let state = try State.restored(image.state, image.data, restoring)
        if let timer, !isLearnt { recordMaker(state, timer) }
        return state
    }

    /// The image's timer; nil if a client gave the image, or if it has data or another number of timers.
    private static func onlyTimer(of image: SessionImage) -> TimerImage? {
        image.isSaved && image.timers.count == 1 && image.data == .object([]) ? image.timers.first : nil
    }

    private func recordMaker<State: FlowState>(_ state: State, _ timer: TimerImage) {
        isLearnt = true
        guard timer.kind == .countdown, let payload = Mirror(reflecting: state).children.first?.value else { return }
        let carried = payload as? Countdown ?? Mirror(reflecting: payload).children.first?.value as? Countdown
        guard let carried, let plan = restoring.plans.first(where: { $0.kind == .countdown && $0.name == timer.name }),
            carried.plan.name == plan.name
        else { return }
        fromCountdown = CaseMaker(state, carrying: carried).map { ($0, plan) }
    }
}

/// Why a saved state cannot be restored, in a sentence.
public struct RestorationError: Error, CustomStringConvertible {
    public let description: String

    /// The reason, as a sentence.
    public init(_ description: String) {
        self.description = description
    }

    /// The same of a part of the state's data.
    init(_ problem: String, at path: String) {
        description = path.isEmpty ? problem : "'\(path)': \(problem)"
    }
}
