// The world of a replay: one session's machine on a virtual clock, and what each line made it do.

import GameFlow
import Sessions
import Statecharts

/// Why a line could not be reproduced.
enum ReplayFault: Error {
    case differs(String)
    /// The history has too little information.
    case unknown(String)
    /// The same for a line that changed nothing, so that the replay can continue.
    case unchecked(String)
}

final class ReplayWorld {
    /// The outcome of an event.
    private struct Result {
        let event: String?
        let from: String
        let to: String
        var code: ErrorCode?
        var sentence: String?
    }

    private let flow: FlowKind
    private let clock = VirtualClock()
    private let timekeeper: Timekeeper
    private let watcher: ReplayWatcher
    private var machine: AnyMachine?
    private var lastAt: Int?
    /// Whether the session's own clock runs. It is frozen between two lines, so that timers fire only where the history says so.
    private var clockRuns = true
    /// Outcomes not compared with a line yet: one event can cause several.
    private var results: [Result] = []
    /// Events with refusals that the history counts: only the first and the last of each are replayed.
    private var countedEvents: Set<String> = []
    /// Events that waited for a hook and are not decided yet.
    private var waiting: [HistoryEntryText] = []

    /// `session` is the name that the flow sees, and `parent` that of the session that created this one; nil if a client did.
    init(of flow: FlowKind, named session: String, below parent: String?) {
        self.flow = flow
        watcher = ReplayWatcher(session, below: parent)
        timekeeper = Timekeeper(clock)
        watcher.world = self
        flow.watch(watcher)
    }

    deinit {
        watcher.world = nil
        flow.watch(nil)
    }

    // MARK: Beginning

    /// `context` are the session's parameters, if known.
    func begin(_ context: JSON?) throws { use(try flow.begin(on: timekeeper, context: context)) }

    func begin(where data: JSON) throws { use(try flow.begin(on: timekeeper, where: data)) }

    func begin(in state: String, _ context: JSON?) throws {
        use(try flow.begin(on: timekeeper, at: SessionImage(state: state, context: context)))
    }

    /// Time passes from this line on: the session began then.
    func setTime(to line: HistoryEntryText) { lastAt = Int(line.at / 1_000_000) }

    private func use(_ machine: AnyMachine) {
        self.machine = machine
        holdClock(of: machine)
    }

    /// A step of the flow may have frozen its clock, or resumed it.
    private func holdClock(of machine: AnyMachine) {
        clockRuns = !machine.isFrozen
        machine.clock.freeze()
    }

    var state: String { machine?.stateName ?? "" }
    /// As STATE shows it, without what a chart remembers for itself.
    var data: JSON { (try? machine?.shownData()) ?? .null }

    /// Whether the state's name and the lines to come tell everything about the session. A file's flow has variables, and may remember states.
    var hasOnlyTimers: Bool { flow.origin == nil && machine?.carriesOnlyTimers ?? false }

    /// Whether its states and data depend on times that the lines have in whole milliseconds only.
    var dependsOnTimes: Bool { (flow.written as? ChartDefinition)?.dependsOnTimes ?? false }

    /// Whether a state from which the flow came to this one by itself may have been forced.
    func mayLead(onTo state: String) -> Bool {
        (flow.written as? ChartDefinition)?.mayLead(onTo: state, hasEnded: machine?.isFinal ?? true) ?? false
    }

    /// An outcome that no line accounts for.
    var whatElseHappened: String? { results.first.map { "\($0.event ?? "a forced state") to '\($0.to)'" } }

    // MARK: One line

    /// Throws if the flow does not do what the line says. A forced state may follow any state. `isFirst` is false for a line
    /// that has been replayed before.
    func replay(_ line: HistoryEntryText, isFirst: Bool, fromAnywhere: Bool) throws(ReplayFault) {
        guard let machine else { return }
        guard line.replayedAs != .aside else { return notice(line, machine) }
        let hadWaited = line.replayedAs == .event && hasWaited(line)
        if line.kind == .refused, !line.isDelayedEvent, line.repeats?.times ?? 1 > 2 {
            countedEvents.insert(line.eventOrCommand)
        }
        // Outcomes that are left then belong to later lines.
        if line.kind == .refused, !results.isEmpty, takeRefusals(of: line) || !isFirst { return }
        if results.isEmpty {
            try checkThatTheFlowDecides(line, hadWaited: hadWaited)
            guard fromAnywhere || state == line.from else {
                throw .differs("recorded in '\(line.from)', the flow is in '\(state)'")
            }
            letTimePass(until: line, machine)
            // A timer of which the step before has taken all time has fired by now.
            if results.isEmpty { try perform(line, machine) }
        }
        guard !results.isEmpty else { throw .differs("recorded \(Self.inWords(line)), the flow did not react to it") }
        try compare(line, results.removeFirst(), fromAnywhere: fromAnywhere)
    }

    /// Applies an operator's change of the clock, and remembers an event that waits: both matter to later lines.
    private func notice(_ line: HistoryEntryText, _ machine: AnyMachine) {
        if line.kind == .waiting { return waiting.append(line) }
        guard line.kind != .dropped else { return }
        letTimePass(until: line, machine)
        let timer = machine.timers.last { $0.plan.name == line.timer && $0.remaining != nil }
        switch line.kind {
        case .paused where line.timer == nil: clockRuns = false
        case .resumed where line.timer == nil: clockRuns = true
        case .paused: timer?.pause()
        case .resumed: timer?.resume()
        case .extended:
            try? timer?.extend(by: .milliseconds(line.payload.flatMap { Int64($0) } ?? 0))
            timekeeper.fireDue()
        default: break
        }
    }

    /// Whether the event is one that had to wait; its wait is over then.
    private func hasWaited(_ line: HistoryEntryText) -> Bool {
        let place = waiting.firstIndex {
            $0.event == line.eventOrCommand && $0.source == line.source && $0.timer == line.timer && $0.payload == line.payload
        }
        if let place { waiting.remove(at: place) }
        return place != nil
    }

    /// Throws if something else has refused the event than the flow, as far as a replay runs it.
    private func checkThatTheFlowDecides(_ line: HistoryEntryText, hadWaited: Bool) throws(ReplayFault) {
        switch line.code {
        case .stale? where hadWaited:
            throw .unchecked("it was withdrawn while it waited for a hook; a replay does not run hooks")
        case .stale?: throw .unchecked("its sender's version was stale; flows do not decide that")
        case .limit?: throw .unchecked("a limit of the daemon refused it; flows do not decide that")
        case .timeout?: throw .unchecked("its hook timed out; a replay does not run hooks")
        case .vetoed? where hadWaited: throw .unchecked("it had waited for a hook; a replay does not run hooks")
        default: break
        }
    }

    private func letTimePass(until line: HistoryEntryText, _ machine: AnyMachine) {
        let at = Int(line.at / 1_000_000)
        // At least a nanosecond: a flow that loops without time passing is stopped.
        let passed = max(.zero, .milliseconds(at) - .milliseconds(lastAt ?? at)) + .nanoseconds(1)
        lastAt = max(at, lastAt ?? at)
        timekeeper.advance(clock, by: passed)
        guard clockRuns else { return }
        for timer in machine.timers where !timer.isPaused { Self.shorten(timer, by: passed) }
    }

    /// A timer stops just before it would fire: another line says that it did.
    private static func shorten(_ timer: StateTimer, by passed: Duration) {
        guard let left = timer.remaining else { return }
        let next = timer.nextMilestone?.remaining ?? .zero
        timer.begin(left: max(left - passed, min(left, next + .nanoseconds(1))))
    }

    private func perform(_ line: HistoryEntryText, _ machine: AnyMachine) throws(ReplayFault) {
        switch line.replayedAs {
        case .beginning: throw .differs("recorded that it starts here, but it had started before")
        case .force: try withRunningClock(of: machine) { () throws(ReplayFault) in try force(line, machine) }
        case .aside: break
        case .withdrawal: withdraw(line, machine)
        case .event where line.source == .timer: try fire(line, machine)
        case .event: try withRunningClock(of: machine) { () throws(ReplayFault) in try send(line, machine) }
        }
    }

    /// Runs a step with the session's own clock, which it may freeze or resume. No timer fires meanwhile.
    private func withRunningClock(of machine: AnyMachine, _ step: () throws(ReplayFault) -> Void) throws(ReplayFault) {
        if clockRuns { machine.clock.resume() }
        defer { holdClock(of: machine) }
        try step()
    }

    private func withdraw(_ line: HistoryEntryText, _ machine: AnyMachine) {
        let event = machine.postponed.first {
            $0.event == line.event && ($0.payload?.kept == line.payload || line.payload == nil)
        }
        if let event { _ = machine.withdraw(postponed: event.number, from: line.source) }
    }

    private func force(_ line: HistoryEntryText, _ machine: AnyMachine) throws(ReplayFault) {
        guard let data = line.carried else { throw .unknown(Self.tooLong) }
        do throws(Refusal) {
            try machine.force(line.to, data: data ?? .object([]), from: line.source)
        } catch {
            throw .differs("recorded '\(line.to)', which cannot be forced: \(error)")
        }
    }

    private func send(_ line: HistoryEntryText, _ machine: AnyMachine) throws(ReplayFault) {
        guard line.carried != nil else {
            if line.code == nil { throw .unknown(Self.tooLong) }
            throw .unchecked("its payload is not kept unchanged")
        }
        // As it was written: a number for an event's only text is that text.
        let payload = line.payload.flatMap { try? Payload(text: $0) }
        do throws(Refusal) {
            _ = try machine.send(named: line.eventOrCommand, payload: payload, from: line.source)
        } catch {
            let code = Self.isNoticeOfFailure(line) ? line.code ?? error.code : error.code
            results.append(
                Result(event: line.eventOrCommand, from: state, to: state, code: code, sentence: error.description))
        }
    }

    /// Whether the daemon sent the event, to report a message that was not delivered or a child that failed. If the flow refuses
    /// it, its line has the code of that failure.
    private static func isNoticeOfFailure(_ line: HistoryEntryText) -> Bool {
        let event = line.eventOrCommand
        return line.source == .orchestrator && (event == "error.communication" || event.hasPrefix("error.invoke."))
    }

    private static let tooLong = "its payload was too long to be kept"

    /// The timer that the line names. A delayed event has no name there: of several, the first one is due.
    private func timer(of line: HistoryEntryText, _ machine: AnyMachine) throws(ReplayFault) -> StateTimer {
        if let name = line.timer {
            if let timer = machine.timers.last(where: { $0.plan.name == name && $0.remaining != nil }) { return timer }
            throw .differs("recorded that its timer '\(name)' fired, and '\(state)' carries none")
        }
        let delayed = machine.timers.filter { $0.plan.messageName == line.event && $0.remaining != nil }
        if let timer = delayed.min(by: { $0.remaining ?? .zero < $1.remaining ?? .zero }) { return timer }
        throw .differs("recorded the delayed event '\(line.eventOrCommand)', and '\(state)' has none")
    }

    /// Fires this timer only.
    private func fire(_ line: HistoryEntryText, _ machine: AnyMachine) throws(ReplayFault) {
        let timer = try timer(of: line, machine)
        guard let left = timer.remaining else { return }
        if let missed = line.missedSwings {
            // With as many missed swings as were recorded.
            machine.timerFired(Firing(timer: timer, deadline: timekeeper.now, missed: missed))
        } else {
            // Down to its milestone, where the line tells of one, and else to its end.
            let milestone = timer.milestonesToCome.first { $0.messageName == line.eventOrCommand }
            try? timer.extend(by: min(.zero, (milestone?.remaining ?? .zero) - left))
        }
        timekeeper.fireDue()
        dropCountedRefusals(before: line)
        // The step may have resumed the session's clock.
        if !machine.isFrozen { holdClock(of: machine) }
    }

    /// A timer that fires also fires its milestones before it. Of their counted refusals, those in between have no line.
    private func dropCountedRefusals(before line: HistoryEntryText) {
        let end = results.firstIndex { result in
            result.code == nil || result.event == line.eventOrCommand || !countedEvents.contains(result.event ?? "")
        }
        results.removeSubrange(..<(end ?? results.count))
    }

    // MARK: Recording results

    fileprivate func noted(_ machine: AnyMachine, _ entry: borrowing HistoryEntry) {
        guard machine === self.machine else { return }
        let kind = machine.kind
        results.append(
            Result(
                event: entry.eventName(in: kind), from: kind.stateName(at: entry.from),
                to: kind.stateName(at: entry.to), code: entry.refused?.code, sentence: entry.refusal(in: kind)))
    }

    /// Removes the line's refusals from the outcomes of the latest step, as often as it was recorded; false if there are none.
    /// A step can refuse several postponed events, and refusals of equal ones are one line.
    private func takeRefusals(of line: HistoryEntryText) -> Bool {
        var times = line.repeats?.times ?? 1
        let end = results.firstIndex { $0.code == nil } ?? results.count
        let others = results[..<end].filter { result in
            guard times > 0, Self.isSame(result, as: line, fromAnywhere: false) else { return true }
            times -= 1
            return false
        }
        results.replaceSubrange(..<end, with: others)
        return others.count < end
    }

    private func compare(_ line: HistoryEntryText, _ result: Result, fromAnywhere: Bool) throws(ReplayFault) {
        guard Self.isSame(result, as: line, fromAnywhere: fromAnywhere) else {
            throw .differs("recorded \(Self.inWords(line)), \(Self.inWords(result, of: line))")
        }
    }

    private static func isSame(_ result: Result, as line: HistoryEntryText, fromAnywhere: Bool) -> Bool {
        let isSameEvent = line.replayedAs == .force ? result.event == nil : result.event == line.eventOrCommand
        return isSameEvent && (fromAnywhere || result.from == line.from) && result.to == line.to && result.code == line.code
    }

    private static func inWords(_ line: HistoryEntryText) -> String {
        line.code.map { "refused with \($0)" } ?? "'\(line.to)'"
    }

    private static func inWords(_ result: Result, of line: HistoryEntryText) -> String {
        guard result.event == nil || result.event == line.eventOrCommand else {
            return "the flow continued by itself, with \(result.event ?? "") to '\(result.to)'"
        }
        guard let code = result.code else { return "the flow went to '\(result.to)'" }
        return "the flow refused it with \(code): \(result.sentence ?? "")"
    }
}

private final class ReplayWatcher: MachineWatcher {
    private let session: String
    private let parent: String?
    unowned var world: ReplayWorld?

    init(_ session: String, below parent: String?) {
        (self.session, self.parent) = (session, parent)
    }

    override func name(of machine: AnyMachine) -> String { session }

    override func parent(of machine: AnyMachine) -> String? { parent }

    override func record(_ entry: borrowing HistoryEntry, of machine: AnyMachine) {
        world?.noted(machine, entry)
    }
}
