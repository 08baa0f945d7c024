// What commands act on.

import GameFlow
import Logging
import RESP
import Sessions
import Timers

/// Hosts flows for clients: the sessions, who may do what, and how far. It knows no socket, no disk and no loop.
package final class Host {
    package let timekeeper: Timekeeper
    package let log: Log
    package let commands: CommandTable
    package let access: Access
    package let sessions: Sessions
    package let subscriptions: Subscriptions
    let refusals = RefusalCache()
    /// Keeps the sessions over a restart; nil if nothing does.
    package var persistence: (any SessionPersistence)?
    /// The clients that come over sockets; nil where none can.
    package var clients: (any ClientList)?
    package var devices: any SimulatedDevices = NoDevices()
    /// The loop whose turns the commands are carried out in; nil where there is none.
    package var turns: (any TurnBudget)?
    /// Why no session can be changed just now; nil if they can.
    @exclusivity(unchecked) package var trouble: CommandError? { didSet { isTroubled = trouble != nil } }
    @exclusivity(unchecked) private(set) var isTroubled = false
    /// Whether sessions are still being restored: then nothing can be said of them either.
    @exclusivity(unchecked) package var isLoading = false
    @exclusivity(unchecked) private var currentLimits: Limits { didSet { followLimits() } }
    /// Called when somebody has moved a limit.
    package var whenLimitsMove: () -> Void = {}
    /// How many requests have been carried out.
    @exclusivity(unchecked) package var requestCount = 0
    let began = SystemClock().now
    /// Called at every instant that virtual time passes on its way, when what was due has fired.
    package var whenTimeMoves: () -> Void = {}

    package init(
        on timekeeper: Timekeeper, flows: [FlowKind], commands: CommandTable, limits: Limits = Limits(), token: Token? = nil,
        log: Log = .silent
    ) {
        self.timekeeper = timekeeper
        self.log = log
        self.commands = commands
        currentLimits = limits
        access = Access(token: token)
        sessions = Sessions(on: timekeeper, flows: flows, history: limits.history)
        subscriptions = Subscriptions(of: sessions)
        followLimits()
    }

    /// Computed, since another module would check each access to a stored property for exclusivity.
    package var limits: Limits {
        get { currentLimits }
        set { currentLimits = newValue }
    }

    /// Nil on the machine's own time.
    package var virtualClock: VirtualClock? { timekeeper.source as? VirtualClock }

    /// Begins a session; whoever comes up against a limit learns how to move it.
    package func begin(
        _ name: ByteString, _ flow: FlowKind, _ data: JSON? = nil, from source: EventSource = .ui
    ) throws(CommandError) -> Session {
        do throws(CommandError) {
            return try sessions.begin(name, flow, data, from: source)
        } catch  where error.code == "LIMIT" {
            let isFull = sessions.count >= limits.sessions
            throw .limit(isFull ? \.sessions : \.nameLength, error.sentence)
        }
    }

    /// Begins a session, as `NEW` does.
    package func begin(_ name: String, flow: String) throws(CommandError) {
        guard let type = sessions.flow(named: flow) else { throw .noFlow(flow, sessions.flows) }
        _ = try begin(ByteString(name), type)
    }

    /// Fires what a command has made due, before anything else is handled.
    package func settle() {
        if let turns { turns.settle() } else if timekeeper.hasDue { timekeeper.fireDue() }
    }

    private func followLimits() {
        sessions.limits = Sessions.Limits(sessions: limits.sessions, nameLength: limits.nameLength)
        sessions.mostWaitingBytes = limits.waitingBytes
        whenLimitsMove()
    }
}
