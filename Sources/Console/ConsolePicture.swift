// A snapshot of what the console shows; everything that it draws is computed from this.

import Commands
import GameFlow
import Sessions
import Timers

/// The contents of a console, apart from the text being typed.
enum ConsolePicture {
    /// One session, and whether there are others.
    case session(SessionPicture, hasOthers: Bool)
    /// Sessions to choose from.
    case list(ListPicture)
}

struct SessionPicture {
    let name: String
    let flow: String
    let state: String
    let view: ViewModel
    /// The names of all events of its flow that a user interface may send.
    let events: [String]
    /// The timer that has just moved it on, and when.
    let timeRanOut: (timer: String, at: Instant)?
}

struct ListPicture {
    /// Some of the sessions.
    let lines: [SessionLine]
    /// How many there are in all.
    let total: Int
    /// The flow of the session that is suggested.
    let flow: String
    /// The session that was shown and has been dropped.
    let gone: String?

    /// A command that begins a session.
    var suggestion: String { "NEW main \(flow)" }
}

struct SessionLine {
    let name: String
    let flow: String
    let state: String
}

extension ConsolePicture {
    /// How many sessions a list looks at.
    private static let maxLooked = 1_000
    /// How long it is said that time ran out.
    private static let moment = Duration.seconds(5)

    /// The named session, or a list if there is no session of that name.
    init(of name: String?, in host: Host) {
        if let name, let session = host.sessions.find(name) {
            self = .session(SessionPicture(session, name, Self.moment), hasOthers: host.sessions.count > 1)
        } else {
            self = .list(
                ListPicture(
                    lines: Self.lines(in: host), total: host.sessions.count,
                    flow: (host.sessions.flow(named: "game") ?? host.sessions.flows.first)?.name ?? "flow", gone: name))
        }
    }

    static func lines(in host: Host) -> [SessionLine] {
        host.sessions.scan(from: 0, atMost: maxLooked).sessions.map {
            SessionLine(name: $0.name, flow: $0.machine.flowName, state: $0.machine.stateName)
        }
    }

    /// The names of the events that a typed line may begin with.
    var events: [String] {
        switch self {
        case .session(let session, _): session.events
        case .list: []
        }
    }

    /// Whether it changes by itself as time passes.
    var isMoving: Bool {
        guard case .session(let session, _) = self else { return false }
        return session.timeRanOut != nil || session.view.clocks.contains { !$0.isPaused }
    }
}

extension SessionPicture {
    fileprivate init(_ session: Session, _ name: String, _ moment: Duration) {
        let machine = session.machine
        let now = machine.timekeeper.now
        self.init(
            name: name, flow: machine.flowName, state: machine.stateName, view: machine.viewModel,
            events: machine.kind.events.filter { $0.sources.contains(EventSource.ui) }.map(\.name),
            timeRanOut: session.lastMove.flatMap { $0.at.duration(to: now) < moment ? $0 : nil })
    }
}
