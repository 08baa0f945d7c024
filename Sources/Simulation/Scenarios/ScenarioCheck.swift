// Finds, before any step runs, names in a scenario that its flows lack: flows, states, events, timers, and sessions that never begin. Also finds
// invalid durations and payloads.

import Statecharts
import Commands
import Devices
import GameFlow
import RESP
import Sessions
import Texts

/// Follows the steps in their order, without work and without time. NEW is tried, and FORCE of a flow in Swift, since their answer
/// depends on no other step. FORCE of a flow from a file runs actions, which read variables that events before it have changed.
final class ScenarioCheck {
    private typealias Mistake = (code: ErrorCode, sentence: String)

    private let host: Host
    private let client: LocalClient
    /// The folder of the scenario's file.
    private let folder: String
    /// Flows of files are not explored, and their lists are right.
    private let chart: (_ flow: String) -> ChartDefinition?
    /// The names of all sessions that have begun so far, and their flows as far as these are known.
    private var begun: Set<String> = []
    private var flows: [String: FlowKind] = [:]
    private var unknownSessions = 0
    /// A suggestion compares a name with those of all sessions, and a long scenario has many of both.
    private static let maxSuggestions = 20

    init(of flows: RehearsedFlows, besides path: String) {
        host = Host(on: Timekeeper(VirtualClock()), flows: flows.makeIdle(), commands: .all)
        chart = flows.chart(named:)
        client = LocalClient(of: host, from: .network)
        folder = ScenarioWorld.folder(of: path)
    }

    /// A sentence for each mistake of the step.
    func mistakes(of step: ScenarioStep) -> [String] { found(in: step).map(\.sentence).withoutRepeats }

    /// A line that is no step: each of its words may be the name of a session that was to begin there.
    func overlook(_ line: String) {
        for word in line.split(whereSeparator: \.isWhitespace) { begun.insert(String(word)) }
    }

    private func found(in step: ScenarioStep) -> [Mistake] {
        switch step.action {
        case .command(let words): tried(words)
        // An expected error is no mistake.
        case .refusal(let code, let words): command(words).filter { $0.code != code }
        case .reply(let text, let words): tried(words).filter { !text.hasPrefix($0.code.text + " ") }
        case .expectation(let session, let expectation): self.session(session) + names(in: expectation, of: session)
        case .emission(let session, _): self.session(session)
        case .standIn: []
        case .devices(let path): devices(path)
        case .flow: []
        }
    }

    // MARK: Commands

    /// Checks each word by its argument.
    private func command(_ words: [String]) -> [Mistake] {
        do throws(StepFault) { _ = try ScenarioStep.command(words) } catch { return [(.generic, error.sentence)] }
        guard let command = CommandTable.all[words[0]] else { return [] }
        return ArgumentPlaces(of: command.arguments, in: Array(words.dropFirst())).values.flatMap { word, argument in
            mistakes(of: word, as: argument, to: command, of: words[1])
        }
    }

    private func mistakes(
        of word: String, as argument: CommandArgument, to command: Command, of session: String
    ) -> [Mistake] {
        switch argument.name {
        // NEW begins it, DROP says whether it was there, and CLUSTER KEYSLOT needs none.
        case "session" where command === Command.new || command === Command.drop || !command.keys.areSessions: []
        case "session": self.session(word)
        case "flow": host.sessions.flow(named: word) == nil ? [flow(word)] : []
        case "event": event(word, of: session)
        case "state": isAround(word, of: session) ? [] : state(word, of: session)
        case "timer": timer(word, of: session)
        case "duration": duration(word)
        case "payload", "json": payload(word)
        default: []
        }
    }

    /// Checks the words, and tries NEW and FORCE as far as no other step matters, unless the words alone have shown a problem.
    private func tried(_ words: [String]) -> [Mistake] {
        let mistakes = command(words)
        guard words.count > 2 else { return mistakes }
        switch words[0].uppercased() {
        case "NEW": return mistakes + beginning(words, isSound: mistakes.isEmpty)
        case "FORCE": return mistakes.isEmpty ? force(words) : mistakes
        default: return mistakes
        }
    }

    private func beginning(_ words: [String], isSound: Bool) -> [Mistake] {
        let flow = host.sessions.flow(named: words[2])
        begun.insert(words[1])
        flows[words[1]] = flow
        _ = client.run(["DROP", words[1]])
        return isSound && (flow?.isChecked == true || chart(words[2]) != nil) ? refusal(of: words) : []
    }

    private func force(_ words: [String]) -> [Mistake] {
        guard let flow = flows[words[1]] else { return [] }
        guard let chart = chart(flow.name) else { return host.sessions[words[1]] != nil ? refusal(of: words) : [] }
        guard words.count > 3, case .object(let members)? = try? JSON(payload: words[3]) else { return [] }
        let names = chart.context.map(\.name)
        // Data that were copied may have a chart's memory, too.
        return members.filter { !names.contains($0.name) && $0.name != "$" }.map {
            (.badEvent, unknown("variable", $0.name, of: flow, among: names))
        }
    }

    private func refusal(of words: [String]) -> [Mistake] {
        guard case .error(let code, let text)? = client.run(words).last else { return [] }
        return [(code, text)]
    }

    // MARK: Names

    private func flow(_ name: String) -> Mistake {
        (.noFlow, "there is no flow '\(name.shortened)'; \(host.sessions.flows.map(\.name).advice(for: name))")
    }

    private func session(_ name: String) -> [Mistake] {
        guard !begun.contains(name), !isChild(name) else { return [] }
        unknownSessions += 1
        let names = unknownSessions <= Self.maxSuggestions ? begun.sorted() : []
        let guess = Suggestion.closest(to: name, among: names).map { "did you mean '\($0)'?" }
        let advice = guess ?? "create it in an earlier line: new \(name.shortened) FLOW"
        return [(.noSession, "there is no session '\(name.shortened)'; \(advice)")]
    }

    /// Whether a session that has begun may begin it: `room/round`, where the flow of `room` invokes another one as `round`.
    private func isChild(_ name: String) -> Bool {
        guard let (parent, id) = ChildName.split(name), begun.contains(parent) || isChild(parent),
            let invocation = flows[parent].flatMap({ chart($0.name) })?.invocations.first(where: { $0.id == id })
        else { return false }
        begun.insert(name)
        flows[name] = host.sessions.flow(named: invocation.flow)
        return true
    }

    private func event(_ name: String, of session: String) -> [Mistake] {
        guard let flow = flows[session] else { return [] }
        guard let event = flow.events.first(where: { $0.name == name }) else {
            let names = flow.events.filter { !$0.sources.isSubset(of: .timers) }.map(\.name)
            return [(.badEvent, unknown("event", name, of: flow, among: names))]
        }
        guard event.sources == .timers else { return [] }
        return [(.badEvent, "only a timer sends '\(name)'")]
    }

    private func state(_ name: String, of session: String) -> [Mistake] {
        guard let flow = flows[session], !has(flow, state: name) else { return [] }
        return [(.badEvent, unknown("state", name, of: flow, among: flow.states))]
    }

    /// Whether it is a chart's state with others inside of it, or the chart itself, which FORCE completes.
    private func isAround(_ name: String, of session: String) -> Bool {
        guard let flow = flows[session], let chart = chart(flow.name) else { return false }
        return name == flow.name || chart.states.contains { $0.path == name }
    }

    /// A chart can be in several states at once: `lights.red,walk`. Flows with possibly incomplete lists of states have every state.
    private func has(_ flow: FlowKind, state name: String) -> Bool {
        if chart(flow.name) != nil { return name.split(separator: ",").allSatisfy { flow.states.contains(String($0)) } }
        return !flow.isChecked || flow.states.contains(name)
    }

    private func timer(_ name: String, of session: String) -> [Mistake] {
        guard let flow = flows[session] else { return [] }
        let chart = chart(flow.name)
        guard flow.isChecked || chart != nil else { return [] }
        let names = chart?.timerNames ?? flow.timers.map(\.name)
        return chart?.mayHaveTimer(named: name) ?? names.contains(name)
            ? [] : [(.noTimer, unknown("timer", name, of: flow, among: names))]
    }

    private func unknown(_ what: String, _ name: String, of flow: FlowKind, among names: [String]) -> String {
        "the flow '\(flow.name)' has no \(what) '\(name.shortened)'; \(names.advice(for: name))"
    }

    private func names(in expectation: Expectation, of session: String) -> [Mistake] {
        switch expectation {
        case .state(let name, _): state(name, of: session)
        case .timer(let name, _): timer(name, of: session)
        case .timers(let names): names.flatMap { timer($0, of: session) }
        case .events(let names): names.flatMap { event($0, of: session) }
        case .paused(let name, _): name.map { timer($0, of: session) } ?? []
        case .data, .final, .version: []
        }
    }

    // MARK: Values

    private func duration(_ word: String) -> [Mistake] {
        Duration(text: word) == nil ? [(.generic, Duration.complaint(about: word.shortened))] : []
    }

    private func payload(_ word: String) -> [Mistake] {
        do throws(JSONError) {
            _ = try JSON(payload: word)
            return []
        } catch {
            return [(.badEvent, "the payload is not JSON: \(error)")]
        }
    }

    private func devices(_ path: String) -> [Mistake] {
        do throws(BluetoothFileError) {
            let devices = try DeviceFile.read(ScenarioWorld.place(of: path, in: folder))
            return DeviceFile.misdirected(in: devices, flows: host.sessions.flows) { self.flows[$0] }
                .map { (.badDevices, "\(path): \($0)") }
        } catch {
            return [(.badDevices, error.inOneLine)]
        }
    }
}
