// Host of the commands: sessions, access and limits.

import GameFlow
import Logging
import Memory
import Posix
import RESP
import Sessions

/// Hosts flows for clients: sessions, access, limits. Knows no socket, no disk and no loop.
package final class Host {
    package let timekeeper: Timekeeper
    package let log: Log
    package let commands: CommandTable
    package let access: Access
    package let sessions: Sessions
    package let feed: Feed
    package private(set) lazy var subscriptions = Subscriptions(of: self)
    /// The flows' pictures.
    package let diagrams = FlowDiagrams()
    let refusals = RefusalCache()
    /// Denied commands and their senders.
    package private(set) lazy var denials = DenialLog(of: self)
    /// Persists sessions; nil if they end with the process.
    package var persistence: (any SessionPersistence)?
    /// Clients with a connection; nil where there is no network.
    package var clients: (any ClientList)?
    package var devices: any SimulatedDevices = NoDevices()
    /// Knows which sessions are here, where other nodes have some; nil where all are.
    package var cluster: (any ClusterMember)? {
        get { currentCluster }
        set { currentCluster = newValue }
    }
    /// The event loop's turn; nil where there is no loop.
    package var turns: (any TurnBudget)?
    /// Why sessions cannot be changed at the moment; nil if they can.
    package var unavailability: CommandError? { didSet { isUnavailable = unavailability != nil } }
    private(set) var isUnavailable = false
    /// Whether sessions are being restored: then they cannot be read either.
    package var isLoading: Bool {
        get { isLoadingNow }
        set { isLoadingNow = newValue }
    }
    // Stored apart, since other modules would check each access for exclusivity.
    private var currentCluster: (any ClusterMember)?
    private var isLoadingNow = false
    @exclusivity(unchecked) private var currentLimits: Limits { didSet { applyLimits() } }
    /// The listening addresses as shown to people, the UNIX socket first.
    package var addresses: [String] = []
    /// Nil without a page. The page lives as long as the host; a weak reference would make each retain of the page dearer.
    package unowned var page: (any LoginPage)?
    /// ADVANCEs, and due timers, that take several turns.
    package private(set) lazy var advances = AdvanceQueue(of: self)
    /// RELOADs, which take several turns.
    package private(set) lazy var reloader = Reloader(of: self)
    /// The files that it was started with; nil if they are not read again.
    package weak var files: (any FileReloader)?
    /// Settings from options, environment and file; nil where there are none.
    package weak var settings: (any ShownSettings)?
    /// Whether timers are due that have not fired yet: a session's fire before anything else happens to it.
    var isMidInstant = false
    /// Whether the journal is too far behind: nothing that can wait goes on.
    package var isJournalBehind = false { didSet { if oldValue, !isJournalBehind { advances.resume() } } }
    /// Requests carried out since the start.
    package var requestCount: Int { requests }
    private var requests = 0
    func countRequest() { requests &+= 1 }
    /// The timekeeper's counts at the last CONFIG RESETSTAT, which INFO subtracts.
    private(set) var timersBeforeReset = (armed: UInt64(0), cancelled: UInt64(0))

    func resetTimeStatistics() {
        timekeeper.forgetLateness()
        timersBeforeReset = (timekeeper.armings, timekeeper.cancellations)
    }

    /// When the daemon started, by the monotonic clock.
    private let startedAt = SystemClock().now
    /// The same by the wall clock, in nanoseconds since 1970.
    package let startedAtWall = TurnClock.now().wallNanoseconds
    package var uptime: Duration { startedAt.duration(to: SystemClock().now) }
    private var tending: AnyObject?
    package weak var timeObserver: (any VirtualTimeObserver)?

    package init(
        on timekeeper: Timekeeper, flows: [FlowKind], commands: CommandTable, limits: Limits = Limits(),
        access: Access = Access(),
        log: Log = .silent
    ) {
        self.timekeeper = timekeeper
        self.log = log
        self.commands = commands
        currentLimits = limits
        self.access = access
        sessions = Sessions(on: timekeeper, flows: flows, history: limits.history)
        feed = Feed(of: sessions, TurnViews(of: sessions, mark: Command.subscribe.number))
        applyLimits()
        applyLogLevel()
        sessions.delegate = self
    }

    deinit {
        sessions.delegate = nil
        turns?.stepper = nil
    }

    /// Schedules the expiry of dropped sessions, so that clients do not wait for it.
    func expireDrops(after milliseconds: Int) {
        tending = turns?.schedule(after: milliseconds) { [unowned self] in
            tending = nil
            if let next = sessions.expireDrops() { expireDrops(after: next) }
        }
    }

    package func setLogLevel(_ level: Log.Level) {
        log.level = level
        applyLogLevel()
    }

    /// The log's level has changed.
    private func applyLogLevel() {
        feed.log = log.level == .debug ? SessionLog(log: log) : nil
    }

    /// Computed, since another module would check each access to a stored property for exclusivity.
    package var limits: Limits {
        get { currentLimits }
        set { currentLimits = newValue }
    }

    /// Nil on the machine's own time.
    package var virtualClock: VirtualClock? { timekeeper.source as? VirtualClock }

    /// Begins a session. An error about a limit says how to change it.
    package func begin(
        _ name: ByteString, _ flow: FlowKind, _ data: JSON? = nil, from source: EventSource = .ui, by actor: ActorNumber = .none
    ) throws(CommandError) -> Session {
        do throws(SessionError) {
            return try sessions.begin(name, flow, data, from: source, by: actor)
        } catch {
            guard error.code == .limit else { throw CommandError(error) }
            throw .limit(sessions.isFull ? \.sessions : \.nameLength, error.sentence)
        }
    }

    /// Begins a session, as `NEW` does, for the option --session.
    package func begin(_ name: String, flow: String, _ beginning: JSON? = nil) throws(CommandError) {
        _ = try begin(ByteString(name), self.flow(named: flow), beginning, by: sessions.actors.number(of: "--session"))
    }

    package func flow(named name: String) throws(CommandError) -> FlowKind {
        guard let flow = sessions.flow(named: name) else { throw .noFlow(name, sessions.flows) }
        return flow
    }

    /// Fires timers that a command has made due, before anything else is handled.
    package func fireDueTimers() {
        if let turns { turns.fireDueTimers() } else if timekeeper.hasDue { timekeeper.fireDue() }
    }

    /// Whether work may have taken long since due timers were last fired. Without turns, no other client waits for it.
    var mayHaveTakenLong: Bool { turns != nil && timekeeper.mayHaveTakenLong }

    private func applyLimits() {
        sessions.limits = Sessions.Limits(
            sessions: limits.sessions, nameLength: limits.nameLength, undo: .milliseconds(limits.undoMilliseconds))
        sessions.maxWaitingBytes = limits.waitingBytes
        clients?.applyLimits()
    }
}
