// Repeated entries of the history, as clients see them.

import GameFlow
import RESP
import Testing
import Timers
@testable import Commands
@testable import Simulation
@testable import Sessions

/// A room with two clocks that tick, and a lamp that people touch.
private struct Room: TypedFlow {
    enum State: FlowState {
        case open(second: Pendulum, ten: Pendulum, seconds: Int, touches: Int)
        case closed(touches: Int)
    }

    enum Event: Sendable { case touch, close, openAgain, second, ten }

    static let events = Catalogue<Event>(
        .plain(.touch), .plain(.close), .plain(.openAgain), .timer(.second), .timer(.ten))
    static let fields: [PayloadKind] = [.integer("seconds", in: 0...Int.max), .integer("touches", in: 0...Int.max)]
    static let second = TimerPlan.pendulum("second", every: .seconds(1), message: Event.second)
    static let ten = TimerPlan.pendulum("ten", every: .seconds(10), message: Event.ten)
    static let timers = [second, ten]

    let clock: FlowClock

    func initialState() throws -> State { try open(touches: 0) }

    private func open(touches: Int) throws -> State {
        .open(
            second: try Pendulum(Self.second, on: clock), ten: try Pendulum(Self.ten, on: clock), seconds: 0, touches: touches)
    }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.open(let second, let ten, let seconds, let touches), .second): count(second, ten, seconds + 1, touches)
        case (.open(let second, let ten, let seconds, let touches), .ten): count(second, ten, seconds, touches)
        case (.open(let second, let ten, let seconds, let touches), .touch): count(second, ten, seconds, touches + 1)
        case (.open(_, _, _, let touches), .close): { .closed(touches: touches) }
        case (.closed(let touches), .openAgain): { try open(touches: touches) }
        default: throw .transitionNotFound
        }
    }

    private func count(_ second: Pendulum, _ ten: Pendulum, _ seconds: Int, _ touches: Int) -> Transition {
        { .open(second: second, ten: ten, seconds: seconds, touches: touches) }
    }
}

@Suite struct `A repeated entry` {
    private let host: Host
    private let client: LocalClient

    init() throws {
        host = Host(on: Timekeeper(VirtualClock()), flows: [.flow(Room.self)], commands: .all)
        client = LocalClient(of: host, from: .network)
    }

    @discardableResult
    private func say(_ line: String) -> Reply {
        let reply = client.run(line.split(separator: " ").map(String.init)).last ?? .null
        while host.timekeeper.hasDue { host.fireDueTimers() }
        return reply
    }

    private func history(_ count: Int = 1_000) -> [Reply] {
        guard case .array(let entries) = say("HISTORY room COUNT \(count)") else { return [] }
        return entries
    }

    private func numbers(_ entry: Reply, _ names: String...) -> [Int?] {
        names.map { name in if case .integer(let number)? = entry[name] { number } else { nil } }
    }

    @Test func `An hour of ticks is one history entry per timer, and earlier events stay visible`() throws {
        for line in ["NEW room room", "SEND room touch", "ADVANCE 3600s"] { say(line) }
        let found = history(50)
        #expect(found.map { $0["event"]?.text } == ["ten", "second", "touch", "NEW"])
        #expect(numbers(found[1], "times", "seq", "last_seq", "version", "last_version") == [3_600, 3, 3_962, 2, 3_961])
        #expect(numbers(found[0], "times", "seq", "last_seq", "version", "last_version") == [360, 12, 3_961, 11, 3_960])
        let (first, last) = (try #require(numbers(found[1], "at_ms")[0]), try #require(numbers(found[1], "last_at_ms")[0]))
        #expect(last - first == 3_599_000)
        #expect(numbers(found[2], "times", "last_seq") == [1, nil])
    }

    @Test func `An event between two ticks ends the count of the first tick`() {
        for line in [
            "NEW room room", "ADVANCE 5s", "SEND room touch", "ADVANCE 4s", "SEND room close", "SEND room touch",
            "SEND room touch",
        ] {
            say(line)
        }
        #expect(history().map { $0["event"]?.text } == ["touch", "close", "second", "touch", "second", "NEW"])
        #expect(history().map { numbers($0, "times")[0] } == [2, 1, 4, 1, 5, 1])
    }

    @Test func `Refusals are counted together if sender and payload are the same`() {
        say("NEW room room")
        let other = LocalClient(of: host, from: .ui)
        for _ in 0..<3 {
            say("SEND room openAgain")
            _ = other.run(["SEND", "room", "openAgain"])
            say("SEND room nonsense 1")
            say("SEND room nonsense 2")
        }
        #expect(history().map { $0["source"]?.text } == ["network", "network", "ui", "network", "network"])
        #expect(history().map { $0["payload"]?.text } == ["2", "1", nil, nil, nil])
        #expect(history().map { numbers($0, "times")[0] } == [3, 3, 3, 3, 1])
        #expect(history().dropLast().map { numbers($0, "seq", "last_seq") } == [[5, 13], [4, 12], [3, 11], [2, 10]])
    }

    @Test func `A client that resumes within a repeated entry gets that entry, and none that ended before`() throws {
        for line in ["NEW room room", "ADVANCE 5s", "SEND room touch", "ADVANCE 12s", "SEND room openAgain", "ADVANCE 3s"] {
            say(line)
        }
        let session = try #require(host.sessions.find("room"))
        for seq in 0...session.seq {
            let whole = session.historyTexts(1_000, at: 0)
            #expect(session.historyTexts(1_000, after: seq, at: 0) == whole.filter { $0.lastSeq > Int(seq) }, "after \(seq)")
        }
        #expect(session.historyTexts(1_000, after: session.seq - 1, at: 0).map(\.event) == ["second"])
    }

    @Test func `Observers are notified of each repetition, with its own number`() {
        final class Watcher: SessionObserver {
            var seen: [UInt32] = []
            override func session(_ session: Session, didRecord entry: borrowing HistoryEntry) -> ObserverInterest {
                seen.append(session.seq)
                return .stays
            }
        }
        let watcher = Watcher()
        host.sessions.add(watcher)
        for line in ["NEW room room", "ADVANCE 100s"] { say(line) }
        #expect(watcher.seen == Array(1...111))
    }

    @Test func `SEND with IF ignores repeated ticks, and is stale after another event`() {
        for line in ["NEW room room", "ADVANCE 20s"] { say(line) }
        #expect(say("SEND room touch IF 0").text == "open", "there were only ticks since the beginning")
        say("ADVANCE 20s")
        for version in [23, 24, 40, 45] {
            #expect(host.sessions.find("room")?.isAsSeen(at: UInt32(version)) == true, "\(version)")
        }
        for version in [0, 1, 10, 22] {
            #expect(host.sessions.find("room")?.isAsSeen(at: UInt32(version)) == false, "\(version)")
        }
        guard case .error(.stale, _) = say("SEND room touch IF 22") else {
            Issue.record("it was accepted")
            return
        }
    }

    @Test func `A replay runs a repeated entry as often as it happened, and ends in the recorded state`() throws {
        for line in [
            "NEW room room", "ADVANCE 125s", "SEND room openAgain", "ADVANCE 30s", "SEND room openAgain", "SEND room touch",
            "ADVANCE 7000s", "SEND room close", "SEND room openAgain", "ADVANCE 33s", "EXTEND room ten 5s", "ADVANCE 12s",
        ] {
            say(line)
        }
        let recorded = try #require(RecordedSession(state: say("STATE room"), history: .array(history(50))))
        #expect(recorded.lines.count == 14 && recorded.isOfOneMoment)
        nonisolated(unsafe) let flows = [FlowKind.flow(Room.self)]
        let report = try #require(HistoryReplay.run(recorded, RehearsedFlows({ flows }, withBuiltIn: false)))
        #expect(report.verdict == .agrees && report.isComplete && report.steps.count == 14, "\(report.verdict)")
        #expect(report.state == "open" && recorded.data?["seconds"]?.integer == 45 && recorded.data?["touches"]?.integer == 1)
        var changed = recorded
        let index = try #require(changed.lines.firstIndex { $0.repeats?.times ?? 1 > 1_000 })
        changed.lines[index].to = "closed"
        let differing = try #require(HistoryReplay.run(changed, RehearsedFlows({ flows }, withBuiltIn: false)))
        guard case .differs(at: index + 1, _) = differing.verdict else {
            Issue.record("\(differing.verdict)")
            return
        }
    }
}
