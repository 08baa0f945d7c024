// A snapshot of what the console shows; everything that it draws is computed from this.

import Commands
import GameFlow

/// What a console shows, apart from what is being typed.
enum ConsolePicture {
    /// One session, and whether there are others.
    case session(SessionPicture, hasOthers: Bool)
    /// Some sessions to choose from, and how many there are in all.
    case list([SessionLine], total: Int)
}

struct SessionPicture {
    let name: String
    let flow: String
    let state: String
    let view: ViewModel
}

struct SessionLine {
    let name: String
    let flow: String
    let state: String
}

extension ConsolePicture {
    /// How many sessions a list looks at.
    private static let mostLooked = 1_000

    /// The named session, or a list if there is none of that name.
    init(of name: String?, in host: Host) {
        if let name, let machine = host.sessions[name] {
            self = .session(
                SessionPicture(name: name, flow: machine.flowName, state: machine.stateName, view: machine.viewModel),
                hasOthers: host.sessions.count > 1)
        } else {
            self = .list(Self.lines(in: host), total: host.sessions.count)
        }
    }

    static func lines(in host: Host) -> [SessionLine] {
        host.sessions.scan(from: 0, atMost: mostLooked).sessions.map {
            SessionLine(name: $0.name, flow: $0.machine.flowName, state: $0.machine.stateName)
        }
    }

    /// Whether it changes by itself as time passes.
    var isMoving: Bool {
        guard case .session(let session, _) = self else { return false }
        return session.view.clocks.contains { !$0.isPaused }
    }
}
