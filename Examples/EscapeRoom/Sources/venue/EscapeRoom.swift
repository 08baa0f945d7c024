// An escape room: three rooms behind each other, and an hour for all of them.

import GameDaemon

struct EscapeRoom: TypedFlow {
    enum State: FlowState {
        /// The team waits outside.
        case lobby
        /// The first room. Its door has a lock.
        case cellar(run: Run)
        /// The second room.
        case library(run: Run)
        /// The last one.
        case vault(run: Run)
        /// The team is out in time.
        case escaped(hints: Int)
        /// The hour is over.
        case lockedIn
    }

    /// A team's hour, which goes on from room to room, and its hints.
    struct Run: Codable {
        let hour: Countdown
        /// Runs while a hint is on the screen.
        var hint: Countdown?
        /// How many there have been.
        var hints = 0
    }

    enum Event {
        case letIn, askHint, reset
        /// A lock reports itself by its room's name.
        case unlock(lock: String)
        case hourIsOver, hintFades
    }

    /// The parameters of a session: `NEW room escapeRoom {"context":{"minutes":45}}`.
    struct Context: SessionContext {
        var minutes = 60
        var hints = 3
    }

    static let parameters: [Parameter] = [.integer("minutes", in: 10...120), .integer("hints", in: 0...10)]
    static let events = Catalogue<Event>(
        .plain(.letIn), .text(Event.unlock, oneOf: ["cellar", "library", "vault"], samples: ["cellar", "library", "vault"]),
        .plain(.askHint, label: "Ask for a hint"), .plain(.reset), .timer(.hourIsOver), .timer(.hintFades))
    static let hour = TimerPlan.countdown("hour", .seconds(3_600), message: Event.hourIsOver)
    static let hint = TimerPlan.countdown("hint", .seconds(90), message: Event.hintFades)
    static let timers = [hour, hint]

    let clock: FlowClock
    let context: Context

    /// The hour is as long as the session's parameters say.
    func plan(_ timer: TimerPlan) -> TimerPlan {
        timer.name == Self.hour.name ? timer.lasting(.seconds(context.minutes * 60)) : timer
    }

    func initialState() -> State { .lobby }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.lobby, .letIn): startTheHour()
        case (.cellar(let run), .unlock(let lock)): try enterLibrary(run, opening: lock)
        case (.library(let run), .unlock(let lock)): try enterVault(run, opening: lock)
        case (.vault(let run), .unlock(let lock)): try escape(run, opening: lock)
        case (.cellar(let run), .askHint): try showHint(run, in: State.cellar)
        case (.library(let run), .askHint): try showHint(run, in: State.library)
        case (.vault(let run), .askHint): try showHint(run, in: State.vault)
        case (.cellar(let run), .hintFades): hideHint(run, in: State.cellar)
        case (.library(let run), .hintFades): hideHint(run, in: State.library)
        case (.vault(let run), .hintFades): hideHint(run, in: State.vault)
        case (.cellar, .hourIsOver), (.library, .hourIsOver), (.vault, .hourIsOver): lockIn()
        case (.escaped, .reset), (.lockedIn, .reset): openTheLobby()
        default: throw .transitionNotFound
        }
    }

    private func startTheHour() -> Transition {
        { .cellar(run: Run(hour: try Countdown(plan(Self.hour), on: clock))) }
    }

    private func enterLibrary(_ run: Run, opening lock: String) throws(FlowError) -> Transition {
        try check(lock, is: "cellar")
        return { .library(run: run.withoutHint) }
    }

    private func enterVault(_ run: Run, opening lock: String) throws(FlowError) -> Transition {
        try check(lock, is: "library")
        return { .vault(run: run.withoutHint) }
    }

    private func escape(_ run: Run, opening lock: String) throws(FlowError) -> Transition {
        try check(lock, is: "vault")
        return { .escaped(hints: run.hints) }
    }

    private func check(_ lock: String, is expected: String) throws(FlowError) {
        guard lock == expected else { throw .refused("the lock of the \(expected) must open first, not '\(lock)'") }
    }

    private func showHint(_ run: Run, in room: @escaping (Run) -> State) throws(FlowError) -> Transition {
        guard run.hint == nil else { throw .refused("a hint is still on the screen; ask again when it has gone") }
        guard run.hints < context.hints else { throw .refused("all hints have been given: \(context.hints)") }
        return { room(Run(hour: run.hour, hint: try Countdown(Self.hint, on: clock), hints: run.hints + 1)) }
    }

    private func hideHint(_ run: Run, in room: @escaping (Run) -> State) -> Transition {
        { room(run.withoutHint) }
    }

    private func lockIn() -> Transition {
        { .lockedIn }
    }

    private func openTheLobby() -> Transition {
        { .lobby }
    }

    /// Checks states from outside: from FORCE, or from an edited backup.
    func check(_ restored: State) throws(FlowError) {
        switch restored {
        case .lobby, .lockedIn: break
        case .cellar(let run), .library(let run), .vault(let run): try check(hints: run.hints)
        case .escaped(let hints): try check(hints: hints)
        }
    }

    private func check(hints: Int) throws(FlowError) {
        guard (0...context.hints).contains(hints) else {
            throw .refused("a team has had 0 to \(context.hints) hints, and not \(hints)")
        }
    }

    func screen(for state: State) -> Screen {
        switch state {
        case .lobby: Screen(title: "Welcome", text: "You have \(context.minutes) minutes.")
        case .cellar(let run): screen("The cellar", "It is dark in here.", hint: "Look behind the barrels.", run, 0)
        case .library(let run): screen("The library", "A book is missing.", hint: "Count the red books.", run, 0.3)
        case .vault(let run): screen("The vault", "Nearly there.", hint: "The dial turns both ways.", run, 0.6)
        case .escaped(let hints): Screen(title: "You are out!", text: "Hints: \(hints).", progress: 1)
        case .lockedIn: Screen(title: "Time is up", text: "The guards are on their way.")
        }
    }

    private func screen(_ title: String, _ text: String, hint: String, _ run: Run, _ progress: Double) -> Screen {
        Screen(title: title, text: run.hint == nil ? text : hint, progress: progress)
    }
}

extension EscapeRoom.Run {
    /// The same hour. The hint's countdown is not carried on, and so it never fires.
    fileprivate var withoutHint: Self { Self(hour: hour, hint: nil, hints: hints) }
}
