// All sessions of a daemon, by name.

import GameFlow
import RESP
import Timers

/// Makes sessions, finds them, and ends them.
final class Sessions {
    /// What limits a daemon's sessions.
    struct Limits {
        var sessions = 10_000_000
        var nameLength = 255
    }

    let timekeeper: Timekeeper
    let flows: [FlowType]
    var limits = Limits()
    /// Told of everything that happens in any session.
    var watcher: ((Session, Occurrence) -> Void)?
    private let flowsByName: [String: FlowType]
    private var byName: [String: Session] = [:]
    /// Sessions by their machines' tags; an empty place is used again.
    private var places: [Session?] = []
    private var freePlaces: [UInt32] = []

    init(on timekeeper: Timekeeper, flows: [FlowType]) {
        self.timekeeper = timekeeper
        self.flows = flows
        flowsByName = Dictionary(flows.map { ($0.name, $0) }) { first, _ in first }
        for flow in flows {
            flow.kind.watcher = { [unowned self] machine, occurrence in note(machine, occurrence) }
        }
    }

    var count: Int { byName.count }

    subscript(name: String) -> Session? { byName[name] }

    func find(_ name: Argument) -> Session? { byName[name.repairedText] }

    func flow(named name: String) -> FlowType? { flowsByName[name] }

    /// Begins a session, in the flow's initial state or in the one that the data names.
    func begin(_ name: String, _ flow: FlowType, _ data: JSON?) throws(CommandError) -> Session {
        guard byName[name] == nil else { throw CommandError("EXISTS", "there is a session '\(name)' already") }
        guard count < limits.sessions else {
            throw CommandError("LIMIT", "there are \(count) sessions, as many as are allowed")
        }
        guard (1...limits.nameLength).contains(name.utf8.count) else {
            throw CommandError("LIMIT", "a session's name has 1 to \(limits.nameLength) bytes, and not \(name.utf8.count)")
        }
        let session = Session(name: name, machine: try machine(flow, data))
        session.machine.tag = place(session)
        byName[name] = session
        return session
    }

    func drop(_ name: String) -> Bool {
        guard let session = byName.removeValue(forKey: name) else { return false }
        places[Int(session.machine.tag)] = nil
        freePlaces.append(session.machine.tag)
        return true
    }

    /// From a cursor on: sessions in the order of their places, and the cursor that goes on from there (0 at the end).
    func scan(from cursor: Int, atMost limit: Int) -> (sessions: [Session], next: Int) {
        guard cursor >= 0, cursor < places.count else { return ([], 0) }
        let end = min(places.count, cursor + limit)
        return (places[cursor..<end].compactMap(\.self), end == places.count ? 0 : end)
    }

    var all: [Session] { places.compactMap(\.self) }

    private func machine(_ flow: FlowType, _ data: JSON?) throws(CommandError) -> AnyMachine {
        do {
            guard let data else { return try flow.begin(on: timekeeper) }
            guard let state = data["state"]?.text else {
                throw RestoringError(
                    "a session is begun somewhere with an object that names the state: {\"state\":\"\(flow.kind.states[0])\"}")
            }
            return try flow.begin(on: timekeeper, in: state, data: data["data"] ?? data)
        } catch {
            throw CommandError("BADEVENT", "\(error)")
        }
    }

    private func place(_ session: Session) -> UInt32 {
        if let free = freePlaces.popLast() {
            places[Int(free)] = session
            return free
        }
        places.append(session)
        return UInt32(places.count - 1)
    }

    private func note(_ machine: AnyMachine, _ occurrence: Occurrence) {
        guard Int(machine.tag) < places.count, let session = places[Int(machine.tag)], session.machine === machine else {
            return
        }
        session.note(occurrence)
        watcher?(session, occurrence)
    }
}
