// A client that pipelines requests, and checks their results after a crash.

import Foundation
import Seeds
import TestSupport
import Testing

/// A request of a load client.
struct LoadRequest {
    enum Action: Equatable {
        case create(flow: String)
        case send(event: String)
        case pause, resume
        case extend
        case drop
    }

    let session: Int
    let action: Action
    /// Nil until it has arrived.
    var answer: Answer?
    /// When it arrived, in seconds.
    var answeredAt = 0.0
}

/// One connection with its own sessions. The daemon executes its requests in order, so a crash leaves a prefix of them. The prefix contains
/// all acknowledged requests.
final class LoadClient: @unchecked Sendable {
    private static let sessions = 5
    private static let longLife = 60
    private static let gameEvents = [
        "displayHelp", "dismissHelp", "startPlaying", "chooseEpisode 2", "chooseEpisode 9", "chooseLevel 3", "completeLevel 7",
        "dismissFinishedLevel", "nonsense",
    ]

    let name: String
    private var random: SeededGenerator
    private(set) var requests: [LoadRequest] = []
    private(set) var answered = 0

    init(_ name: String, _ random: SeededGenerator) {
        self.name = name
        self.random = random
    }

    /// All names are in one shard: a node that releases its shards has executed a prefix of the requests for each of them.
    func session(_ number: Int) -> String { "{\(name)}-\(number)" }
    var sessionNames: [String] { (0..<Self.sessions).map(session) }

    // MARK: Asking

    /// Sends requests until the daemon is gone.
    func play(_ client: TestClient) {
        while true {
            let lines = (0..<Int.random(in: 1...24, using: &random)).map { _ in line(nextRequest()) }
            guard client.send(lines) else { return }
            while answered < requests.count {
                guard let answer = try? client.next(), !answer.isElsewhere else { return }
                requests[answered].answer = answer
                requests[answered].answeredAt = Date().timeIntervalSinceReferenceDate
                answered += 1
            }
        }
    }

    /// Chooses and records the next request.
    private func nextRequest() -> LoadRequest {
        let session = Int.random(in: 0..<Self.sessions, using: &random)
        let life = life(session, through: requests.count)
        let next = LoadRequest(session: session, action: action(life))
        requests.append(next)
        return next
    }

    private func action(_ life: Life?) -> LoadRequest.Action {
        guard let life else { return .create(flow: Bool.random(using: &random) ? "turns" : "game") }
        // An event that is never refused: a life without a change cannot be told from the next one of that name.
        if life.events.isEmpty { return .send(event: life.flow == "turns" ? "pass" : "startPlaying") }
        let dice = Int.random(in: 0..<100, using: &random)
        if life.events.count > Self.longLife || dice < 3 { return .drop }
        if dice < 8 { return .pause }
        if dice < 13 { return .resume }
        if dice < 18 { return .extend }
        return .send(event: life.flow == "turns" ? "pass" : Self.gameEvents.randomElement(using: &random) ?? "")
    }

    private func line(_ request: LoadRequest) -> String {
        let name = session(request.session)
        return switch request.action {
        case .create(let flow): "NEW \(name) \(flow)"
        case .send(let event): "SEND \(name) \(event)"
        case .pause: "PAUSE \(name)"
        case .resume: "RESUME \(name)"
        case .extend: "EXTEND \(name) turn 1s"
        case .drop: "DROP \(name)"
        }
    }

    // MARK: Expected state

    /// A session since it was created.
    struct Life {
        let flow: String
        /// With their payloads, as they were sent.
        var events: [(text: String, answer: Answer?)] = []
        var isPaused = false
    }

    /// Returns a session after the first `count` requests, or nil if there is none.
    private func life(_ session: Int, through count: Int) -> Life? {
        var life: Life?
        for request in requests[..<count] where request.session == session {
            switch request.action {
            case .create(let flow): life = Life(flow: flow)
            case .send(let event): life?.events.append((event, request.answer))
            case .pause: life?.isPaused = true
            case .resume: life?.isPaused = false
            case .extend: break
            case .drop: life = nil
            }
        }
        return life
    }

    /// Compares the daemon's sessions with the requests, and continues from there. At least `least` requests must have been executed.
    func check(_ client: TestClient, least: Int, _ comment: String) throws {
        let found = try (0..<Self.sessions).map { try SessionSnapshot(session($0), client) }
        let kept = (least...requests.count).first { count in
            (0..<Self.sessions).allSatisfy { problem(found[$0], life($0, through: count)) == nil }
        }
        guard let kept else {
            let problems = (0..<Self.sessions).compactMap { number in
                problem(found[number], life(number, through: least)).map { "\(session(number)): \($0)" }
            }
            Issue.record("\(comment): after \(least) of \(requests.count) requests, \(problems.joined(separator: "; "))")
            throw NoAnswer()
        }
        requests = Array(requests[..<kept])
        for index in requests.indices where requests[index].answer == nil { requests[index].answeredAt = 0 }
        answered = kept
        forgetWhatIsOver()
    }

    /// Removes the requests before each session's last creation.
    private func forgetWhatIsOver() {
        var isLiving = Set(0..<Self.sessions)
        var rest: [LoadRequest] = []
        for request in requests.reversed() where isLiving.contains(request.session) {
            if request.action == .drop { isLiving.remove(request.session) } else { rest.append(request) }
            if case .create = request.action { isLiving.remove(request.session) }
        }
        requests = rest.reversed()
        answered = requests.count
    }

    private func problem(_ found: SessionSnapshot, _ life: Life?) -> String? {
        guard let life else { return found.state == nil ? nil : "it should be gone" }
        guard found.state != nil else { return "it is gone" }
        guard found.flow == life.flow else { return "it is a \(found.flow) and not a \(life.flow)" }
        guard found.isPaused == life.isPaused else { return "it is \(found.isPaused ? "" : "not ")paused" }
        return linesProblem(found, life) ?? versionProblem(found)
    }

    /// An event that is refused again is counted in its first entry, unless another entry follows.
    private func linesProblem(_ found: SessionSnapshot, _ life: Life) -> String? {
        let lines = found.lines.filter { $0.source == "network" }
        let count = lines.reduce(0) { $0 + $1.times }
        guard count == life.events.count else { return "\(count) events and not \(life.events.count) in its history" }
        var (rest, toCome) = (lines[...], [String: Int]())
        for event in life.events {
            if let again = toCome[event.text], again > 0 {
                toCome[event.text] = again - 1
                guard event.answer?.isError ?? true else { return "'\(event.text)' was taken" }
                continue
            }
            guard let line = rest.popFirst(), line.event == event.text else {
                return "'\(rest.first?.event ?? "nothing")' where '\(event.text)' was sent"
            }
            guard line.isRefused || !toCome.contains(where: { $0.value > 0 }) else {
                return "what was refused behind '\(line.event)' is counted before it"
            }
            toCome[line.event] = line.times - 1
            guard let answer = event.answer else { continue }
            guard line.isRefused == answer.isError else { return "'\(line.event)' was answered \(answer)" }
            guard line.isRefused || line.to == answer.text else { return "'\(line.event)' led to \(line.to), not \(answer)" }
        }
        return nil
    }

    /// Each change must be there once: one for each version, each from the state to which the one before led.
    private func versionProblem(_ found: SessionSnapshot) -> String? {
        let changes = found.lines.filter { !$0.isRefused }
        let count = changes.reduce(0) { $0 + $1.times }
        guard count == found.version else { return "\(count) changes and version \(found.version)" }
        guard changes.isEmpty || changes.last?.to == found.state else { return "it is in \(found.state ?? "")" }
        let isChain = zip(changes, changes.dropFirst()).allSatisfy { $0.to == $1.from }
        return isChain ? nil : "its history has gaps"
    }
}

/// A session as the daemon has it.
struct SessionSnapshot {
    struct Line {
        let source: String
        /// With its payload.
        let event: String
        let timer: String?
        let from: String
        let to: String
        let isRefused: Bool
        /// How often it happened.
        let times: Int
    }

    /// Nil if there is no such session.
    var state: String?
    var flow = ""
    var version = 0
    var isPaused = false
    /// Its events and forced states, the oldest first.
    var lines: [Line] = []

    static let operatorActions: Set = ["begun", "paused", "resumed", "extended"]

    init(_ name: String, _ client: TestClient) throws {
        // In one go, and so in one turn: no timer fires between the two.
        guard client.send(["STATE \(name)", "HISTORY \(name) COUNT 10000"]) else { throw NoAnswer() }
        let (answer, history) = (try client.next(), try client.next())
        guard let state = answer["state"]?.text else {
            #expect(answer.code == .noSession, "\(answer)")
            return
        }
        self.state = state
        flow = answer["flow"]?.text ?? ""
        version = answer["version"]?.integer ?? -1
        isPaused = answer["paused"]?.integer == 1
        lines = history.list.reversed().filter { !SessionSnapshot.operatorActions.contains($0["what"]?.text ?? "") }.map {
            line in
            let event = [line["event"]?.text, line["payload"]?.text].compactMap { $0 }.joined(separator: " ")
            return Line(
                source: line["source"]?.text ?? "", event: event, timer: line["timer"]?.text,
                from: line["from"]?.text ?? "", to: line["to"]?.text ?? "", isRefused: line["refused"]?.isNull == false,
                times: line["times"]?.integer ?? 0)
        }
    }
}
