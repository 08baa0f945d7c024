// One flow to be tried: walked step by step in virtual time, forth and back, apart from all real sessions.

import Commands
import GameFlow
import Memory
import Posix
import RESP
import Sessions

/// Belongs to the daemon's thread, and is called between the steps of its sessions, since it shares the compiled expressions of charts with them. No
/// call takes long: while a walk is unfinished, it is `isUnderWay`, and `step` continues it. Meanwhile only `seek` is accepted.
package final class Sandbox {
    /// 128 random bits.
    package let id: String
    let flows: SandboxFlows
    /// When it was made, since 1970.
    let began: Int64
    private(set) var context: JSON?
    /// The state that it begins in, and the state's data, as members of NEW's JSON; empty for the flow's first state.
    private let start: [JSON.Member]
    private(set) var world: SandboxWorld
    private let turn: SandboxTurn
    /// In the order of their instants. Those behind `taken` come after the instant at which it stands.
    private(set) var steps: [SandboxStep] = []
    private var taken = 0
    /// The instant that it walks to; nil while it does not walk.
    private var goal: Instant?
    /// The furthest instant that has been walked to since the latest step.
    private(set) var end = Duration.zero

    /// Begins a session of the flow, in a state if it is given. `flows` are all of the daemon; `context` sets the flow's parameters.
    /// `slice` is the time that it shares with others; nil if each call has its own.
    package init(
        flow: FlowKind, flows: [FlowKind], context: JSON? = nil, state: String? = nil, data: JSON? = nil,
        within slice: SandboxSlice? = nil
    ) throws(CommandError) {
        id = Self.newID()
        let turn = SandboxTurn(slice)
        self.turn = turn
        self.flows = SandboxFlows(flow, of: flows)
        self.context = context
        start = (state.map { [JSON.Member("state", .string($0))] } ?? []) + (data.map { [JSON.Member("data", $0)] } ?? [])
        began = TurnClock.now().wallNanoseconds
        try Self.check(context)
        try Self.check(data)
        do {
            turn.begin()
            defer { turn.finish() }
            world = try SandboxWorld(of: self.flows, Self.beginning(context, start), in: turn)
        }
        goal = world.now
        _ = try self.step()
    }

    /// As for NEW; nil for the flow's first state and its defaults.
    private static func beginning(_ context: JSON?, _ start: [JSON.Member]) -> JSON? {
        let members = (context.map { [JSON.Member("context", $0)] } ?? []) + start
        return members.isEmpty ? nil : .object(members)
    }

    private static func newID() -> String {
        (0..<2).map { _ in UInt64.random(in: .min ... .max).hexadecimal }.joined()
    }

    // MARK: Reading

    package var flow: FlowKind { flows.flow }

    /// How long its session has lasted so far.
    package var at: Duration { Instant.zero.duration(to: world.now) }

    /// Until the next timer fires; nil if none runs.
    var untilNext: Duration? { world.nextFiring.map { max(.zero, world.now.duration(to: $0)) } }

    // MARK: Steps

    /// Sends an event from one of `EventSource.ofSandboxes`, to a child where one is named.
    package func send(
        _ event: String, payload: JSON? = nil, from source: EventSource = .ui, to child: String? = nil
    ) throws(CommandError) {
        try perform(.send(event, payload, source), payload, child: child)
    }

    /// Stops the session's clock, or one of its timers.
    package func pause(_ timer: String? = nil) throws(CommandError) { try perform(.pause(timer)) }

    package func resume(_ timer: String? = nil) throws(CommandError) { try perform(.resume(timer)) }

    /// `length` as EXTEND takes it: `10s`, `-1m`, or milliseconds.
    package func extend(_ timer: String, by length: String) throws(CommandError) { try perform(.extend(timer, by: length)) }

    package func force(_ state: String, data: JSON? = nil) throws(CommandError) { try perform(.force(state, data), data) }

    /// A step that is taken drops those that were kept for later. One that is refused is kept as well if it has left a line, and if there is
    /// room for it beside the later ones.
    private func perform(_ action: SandboxAction, _ data: JSON? = nil, child: String? = nil) throws(CommandError) {
        guard !isUnderWay else { throw .sandboxIsBusy }
        try Self.check(data)
        let step = SandboxStep(at: world.now, session: child ?? SandboxWorld.name, action: action)
        guard Self.hasRoom(for: step, beside: steps[..<taken]) else {
            let bounds = "\(SandboxBounds.steps) steps with \(SandboxBounds.stepBytes) bytes"
            throw CommandError(.limit, "a sandbox has at most \(bounds); restart it, or go back before the next one")
        }
        let before = world.progress(of: step.session)
        turn.begin()
        do throws(CommandError) {
            defer { turn.finish() }
            try world.perform(step)
        } catch {
            let hasLeftLine = world.progress(of: step.session) != before
            if hasLeftLine, Self.hasRoom(for: step, beside: steps[...]) { keep(step, droppingLater: false) }
            throw error
        }
        if world.progress(of: step.session) != before { keep(step, droppingLater: true) }
        goal = world.now
        _ = try self.step()
    }

    private static func hasRoom(for step: SandboxStep, beside kept: ArraySlice<SandboxStep>) -> Bool {
        kept.count < SandboxBounds.steps && kept.reduce(step.size) { $0 + $1.size } <= SandboxBounds.stepBytes
    }

    private func keep(_ step: SandboxStep, droppingLater: Bool) {
        if droppingLater {
            steps.removeSubrange(taken...)
            end = at
        }
        steps.insert(step, at: taken)
        taken += 1
    }

    private static func check(_ data: JSON?) throws(CommandError) {
        guard let bytes = data?.description.utf8.count, bytes > SandboxBounds.payloadBytes else { return }
        throw CommandError(.limit, "a sandbox accepts data of at most \(SandboxBounds.payloadBytes) bytes, not \(bytes)")
    }

    // MARK: Time

    /// Goes to an instant, in milliseconds: forth, while its timers fire, or back, by walking all of it again up to there. Steps behind
    /// that instant are kept until another one is taken.
    package func seek(to milliseconds: Int) throws(CommandError) {
        guard (0...SandboxBounds.time).contains(milliseconds) else { throw .sandboxEnds("there is no \(milliseconds) ms") }
        try walk(to: .zero.advanced(by: .milliseconds(milliseconds)))
    }

    /// Goes on to the next timer, or to the next step that was kept.
    package func seekToNext() throws(CommandError) {
        guard !isUnderWay else { throw .sandboxIsBusy }
        let step = taken < steps.count ? steps[taken].at : nil
        guard let next = [world.nextFiring, step].compactMap({ $0 }).min() else {
            throw CommandError(.noTimer, "no timer runs, so nothing happens by itself; send an event")
        }
        guard Instant.zero.duration(to: next) <= .milliseconds(SandboxBounds.time) else {
            throw .sandboxEnds("the next timer fires after \(Instant.zero.duration(to: next).written)")
        }
        try walk(to: next)
    }

    private func walk(to instant: Instant) throws(CommandError) {
        if instant < world.now { try reset(context) }
        goal = instant
        _ = try self.step()
    }

    /// Restarts without any steps: with these parameters, or with the earlier ones.
    package func restart(context: JSON? = nil) throws(CommandError) {
        try Self.check(context)
        try reset(context ?? self.context)
        self.context = context ?? self.context
        (steps, end, goal) = ([], .zero, world.now)
        _ = try self.step()
    }

    private func reset(_ context: JSON?) throws(CommandError) {
        turn.begin()
        defer { turn.finish() }
        world = try SandboxWorld(of: flows, Self.beginning(context, start), in: turn)
        taken = 0
    }

    // MARK: Walking

    /// Whether it has not arrived yet where it was sent to.
    package var isUnderWay: Bool { goal != nil }

    /// Ends a walk at the present instant, of which `step` does the rest: so it can move here again.
    func stop() {
        if isUnderWay { goal = world.now }
    }

    /// Walks on for some milliseconds, or not at all if others have used up this turn's. Returns false once it has arrived. Throws if it cannot
    /// continue; then it no longer walks.
    package func step() throws(CommandError) -> Bool {
        guard let goal else { return false }
        turn.begin()
        defer { turn.finish() }
        while !turn.isBudgetExhausted {
            guard try walkOn(towards: goal) else {
                arrive()
                return false
            }
        }
        return true
    }

    private func arrive() {
        goal = nil
        end = max(end, at)
    }

    /// Does one thing that comes before the goal. False if there is nothing left.
    private func walkOn(towards goal: Instant) throws(CommandError) -> Bool {
        if world.runNextDue() { return true }
        let step = taken < steps.count && steps[taken].at <= goal ? steps[taken] : nil
        let border = step?.at ?? goal
        if let wake = world.nextWake, wake <= border {
            guard world.fired < SandboxBounds.firings else {
                // Stops between two instants, so that the sandbox can move here again.
                arrive()
                throw CommandError(
                    .limit,
                    "limit of \(SandboxBounds.firings) fired timers reached at \(at.written); go back, or restart the sandbox")
            }
            world.move(to: wake)
            return true
        }
        world.move(to: border)
        guard let step else { return false }
        // A step that was refused is refused again.
        _ = try? world.perform(step)
        taken += 1
        return true
    }
}

// MARK: - A sandbox as the page shows it

extension SandboxWorld {
    /// The view of the session in the sandbox, as VIEW returns it.
    var view: JSON { session.flatMap { try? JSON(parsing: viewText(of: $0)) } ?? .null }

    /// The session's newest lines, the oldest first. `wallNanoseconds` is when it began, since 1970.
    func lines(from wallNanoseconds: Int64) -> [JSON] {
        guard let session else { return [] }
        let sinceThen = Instant.zero.duration(to: host.timekeeper.now).wholeNanoseconds
        let entries = session.historyTexts(SandboxBounds.lines, at: wallNanoseconds + sinceThen)
        return entries.reversed().map { entry in
            var text = JSONText()
            entry.append(to: &text, life: session.life, elapsed: Int((entry.at - wallNanoseconds) / 1_000_000))
            return (try? JSON(parsing: text.finished())) ?? .null
        }
    }
}

extension Sandbox {
    /// Everything that there is to show of it.
    package var json: JSON {
        [
            "id": .string(id), "flow": .string(flow.name), "at_ms": .integer(at.milliseconds),
            "end_ms": .integer(end.milliseconds), "limit_ms": .integer(SandboxBounds.time),
            "next_ms": untilNext.map { .integer($0.milliseconds) } ?? .null, "under_way": .bool(isUnderWay),
            "context": context ?? .null, "view": world.view, "children": .array(world.children.map { .string($0) }),
            "lines": .array(world.lines(from: began)), "steps": .array(steps.map(\.json)),
            "standins": .array(
                flows.standIns.map { ["name": .string($0.name), "says": .string($0.says)] }),
        ]
    }
}
