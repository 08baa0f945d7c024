// The daemon: its sessions, its clients, and the end of each turn.

import CEvent
import GameFlow
import Glibc
import Timers

/// Hosts flows for clients.
public final class Daemon {
    let loop: Loop
    let sessions: Sessions
    let subscriptions = Subscriptions()
    /// Called after a turn in which a connection has ended: there is a descriptor again.
    var whenSomebodyIsGone: () -> Void = {}
    /// Called at every instant that virtual time passes on its way, when what was due has fired.
    var whenTimeMoves: () -> Void = {}
    /// How many connections there may be.
    var mostClients = 10_000
    private var clients: [Int: Connection] = [:]
    private var lastClient = 0
    /// Clients with something to be sent at the end of this turn.
    private var talking: [Connection] = []
    /// Kept until the turn is over: a client may be the one whose callback runs.
    private var gone: [Connection] = []

    public init(on loop: Loop, flows: [FlowType]) {
        self.loop = loop
        sessions = Sessions(on: loop.timekeeper, flows: flows)
        sessions.watcher = { [subscriptions] session, occurrence in subscriptions.tell(session, occurrence) }
        loop.atEndOfTurn { [unowned self] in releaseOutput() }
    }

    public var timekeeper: Timekeeper { loop.timekeeper }
    /// Nil on the machine's own time.
    var virtualClock: VirtualClock? { timekeeper.source as? VirtualClock }
    var clientCount: Int { clients.count }

    /// Begins a session, as `NEW` does.
    public func begin(_ name: String, flow: String) throws {
        guard let type = sessions.flow(named: flow) else {
            throw UsageError(description: CommandError.noFlow(flow, sessions.flows).sentence)
        }
        do throws(CommandError) {
            _ = try sessions.begin(name, type, nil)
        } catch {
            throw UsageError(description: error.sentence)
        }
    }

    func accept(_ descriptor: consuming Descriptor) {
        guard let peer = PeerIdentity(of: descriptor.number), peer.isTrusted else {
            return Self.refuse(descriptor, "NOPERM this gamed listens to the user who runs it, and to root")
        }
        guard clients.count < mostClients else {
            return Self.refuse(descriptor, "LIMIT \(clients.count) connections are open, as many as are allowed")
        }
        lastClient += 1
        clients[lastClient] = try? Connection(descriptor, id: lastClient, daemon: self)
    }

    private static func refuse(_ descriptor: borrowing Descriptor, _ reason: String) {
        let line = "-\(reason)\r\n"
        _ = send(descriptor.number, line, line.utf8.count, Int32(MSG_NOSIGNAL))
    }

    func hasOutput(_ client: Connection) {
        if talking.last !== client { talking.append(client) }
    }

    func forget(_ client: Connection) {
        subscriptions.removeAll(of: client)
        if let client = clients.removeValue(forKey: client.id) { gone.append(client) }
    }

    private func releaseOutput() {
        while !talking.isEmpty {
            let now = talking
            talking = []
            for client in now { client.send() }
        }
        guard !gone.isEmpty else { return }
        gone = []
        whenSomebodyIsGone()
    }
}
