// One flow in two versions, as edits of a file would give them, and a daemon that reloads it.

import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Network
@testable import Sessions

/// The first version: a queue, a counter, and a bell.
struct Shop: TypedFlow {
    enum State: FlowState {
        case closed, open(rest: Countdown, bell: Pendulum, served: Int), counting(served: Int, rest: Countdown)
    }
    enum Event: Equatable { case opens, serve, count, timeIsUp, ring, later }

    static let name = "shop"
    static let events = Catalogue<Event>(
        .plain(.opens), .plain(.serve), .plain(.count), .timer(.timeIsUp), .timer(.ring), .plain(.later))
    static let rest = TimerPlan.countdown("rest", .seconds(60), message: Event.timeIsUp)
    static let bell = TimerPlan.pendulum("bell", every: .seconds(7), message: Event.ring)
    static let timers = [rest, bell]
    let clock: FlowClock

    func initialState() -> State { .closed }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.closed, .opens): { try open(0) }
        case (.open(let rest, let bell, let served), .serve): { .open(rest: rest, bell: bell, served: served + 1) }
        case (.open(let rest, let bell, let served), .ring): { .open(rest: rest, bell: bell, served: served) }
        case (.open(_, _, let served), .count): { .counting(served: served, rest: try Countdown(Self.rest, on: clock)) }
        case (.open, .timeIsUp), (.counting, .timeIsUp): { .closed }
        case (.open, .later): throw .postpone
        case (.counting, .later): { .closed }
        default: throw .transitionNotFound
        }
    }

    private func open(_ served: Int) throws -> State {
        .open(rest: try Countdown(Self.rest, on: clock), bell: try Pendulum(Self.bell, on: clock), served: served)
    }
}

/// The second version: other order and lengths, one more event and state, and neither `counting` nor `count`.
struct NewShop: TypedFlow {
    enum State: FlowState { case swept, open(rest: Countdown, bell: Pendulum, served: Int), closed }
    enum Event: Equatable { case sweep, ring, serve, timeIsUp, opens, later }

    static let name = "shop"
    static let events = Catalogue<Event>(
        .plain(.sweep), .timer(.ring), .plain(.serve), .timer(.timeIsUp), .plain(.opens), .plain(.later))
    static let bell = TimerPlan.pendulum("bell", every: .seconds(5), message: Event.ring)
    static let rest = TimerPlan.countdown("rest", .seconds(90), message: Event.timeIsUp)
    static let timers = [bell, rest]
    let clock: FlowClock

    func initialState() -> State { .swept }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.closed, .sweep): { .swept }
        case (.swept, .opens), (.closed, .opens): { try open(0) }
        case (.open(let rest, let bell, let served), .serve): { .open(rest: rest, bell: bell, served: served + 10) }
        case (.open(let rest, let bell, let served), .ring): { .open(rest: rest, bell: bell, served: served) }
        case (.open, .timeIsUp): { .swept }
        case (.open, .later): throw .postpone
        case (.swept, .later): { .closed }
        default: throw .transitionNotFound
        }
    }

    private func open(_ served: Int) throws -> State {
        .open(rest: try Countdown(Self.rest, on: clock), bell: try Pendulum(Self.bell, on: clock), served: served)
    }
}

/// The files of a daemon, with contents that the test sets.
final class Shelf: FileReloader {
    var next = ReloadedFiles()

    func read(isDry: Bool, onRead: @escaping (ReloadedFiles) -> Void) { onRead(next) }
    func readNow(isDry: Bool) -> ReloadedFiles { next }
    func readOthers(isDry: Bool) -> [ReloadLine] { [] }
}

/// A daemon whose files change.
final class Reloaded {
    let stepped: SteppedDaemon
    let shelf = Shelf()
    let client: LocalClient
    var sessions: Sessions { stepped.daemon.sessions }

    init(_ flows: [FlowKind] = [Reloaded.old()]) throws {
        stepped = try SteppedDaemon(flows: flows)
        client = LocalClient(of: stepped.daemon.host)
        stepped.daemon.host.files = shelf
    }

    static func old() -> FlowKind { kind(Shop.self, "aaaa") }
    static func new() -> FlowKind { kind(NewShop.self, "bbbb") }

    static func kind<F: TypedFlow>(_ type: F.Type, _ fingerprint: String) -> FlowKind {
        let kind = FlowKind.flow(type)
        kind.origin = FlowOrigin(file: "/flows/\(kind.name).json5", fingerprint: fingerprint)
        return kind
    }

    @discardableResult
    func say(_ line: String) -> Answer { Answer(reply: client.run(line.split(separator: " ").map(String.init)).last ?? .null) }

    func tell(_ lines: String...) { for line in lines { say(line) } }

    /// Sets the files' contents and returns the reply to RELOAD.
    @discardableResult
    func reload(_ kinds: [FlowKind] = [], gone: [String] = [], _ command: String = "RELOAD") -> [String] {
        shelf.next = ReloadedFiles()
        shelf.next.kinds = kinds
        shelf.next.gone = gone
        return texts(say(command))
    }

    func texts(_ answer: Answer?) -> [String] {
        answer.map { answer in answer.isError ? ["\(answer)"] : answer.list.compactMap(\.text) } ?? []
    }

    /// The session's history, the newest first.
    func lines(_ session: String) -> [Answer] { say("HISTORY \(session) COUNT 100").list }

    /// The same, oldest first: `closed opens open`.
    func past(_ session: String) -> [String] {
        lines(session).reversed().map { "\($0["from"]?.text ?? "?") \($0["event"]?.text ?? "?") \($0["to"]?.text ?? "?")" }
    }

    /// The whole history, without its times.
    func wholePast(_ session: String) -> [[Answer?]] {
        lines(session).map { line in
            ["source", "event", "payload", "timer", "from", "to", "version", "code", "refused", "what", "actor", "definition"]
                .map { line[$0] }
        }
    }
}
