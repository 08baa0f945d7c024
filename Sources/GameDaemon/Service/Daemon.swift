// The daemon: its sessions, its clients, and the end of each turn.

import GameFlow
import RESP
import Timers

/// Hosts flows for clients.
public final class Daemon {
    let loop: Loop
    let log: Log
    let access: Access
    let sessions: Sessions
    var subscriptions: Subscriptions { sessions.subscriptions }
    let refusals = RefusalCache()
    /// The requests that are being carried out.
    let batch = RequestBatch()
    let connections: Connections
    /// Simulated devices; there are none until a device file is loaded.
    package private(set) lazy var bluetooth = BluetoothSource(of: self)
    /// What keeps the sessions over a restart; nil if nothing does.
    private(set) var keeping: Keeping?
    /// Why no session can be changed just now; nil if they can.
    @exclusivity(unchecked) var trouble: CommandError? { didSet { isTroubled = trouble != nil } }
    @exclusivity(unchecked) private(set) var isTroubled = false
    /// Whether sessions are still being restored: then nothing can be said of them either.
    @exclusivity(unchecked) var isLoading = false
    /// Whether the disk is too far behind to hear anybody.
    @exclusivity(unchecked) var isCrowded = false
    @exclusivity(unchecked) public var limits: Limits { didSet { followLimits() } }
    /// How many requests have been carried out.
    @exclusivity(unchecked) var requestCount = 0
    let began = SystemClock().now
    /// Called at every instant that virtual time passes on its way, when what was due has fired.
    var whenTimeMoves: () -> Void = {}

    public init(
        on loop: Loop, flows: [FlowType], limits: Limits = Limits(), token: Token? = nil, log: Log = .silent
    ) throws(LoopFailure) {
        self.loop = loop
        self.log = log
        self.limits = limits
        access = Access(token: token)
        sessions = Sessions(on: loop.timekeeper, flows: flows, history: limits.history)
        connections = try Connections(on: loop, log: log)
        loop.atEndOfTurn { [unowned self] in endTurn() }
        followLimits()
    }

    private func endTurn() {
        if let keeping { keeping.endTurn() } else { connections.releaseOutput(awaiting: nil) }
        connections.sayFarewell()
    }

    /// From now on what happens is kept.
    func keep(with keeping: Keeping) {
        self.keeping = keeping
        sessions.journal = keeping.journal
    }

    public var timekeeper: Timekeeper { loop.timekeeper }
    /// Nil on the machine's own time.
    var virtualClock: VirtualClock? { timekeeper.source as? VirtualClock }

    /// Begins a session, as `NEW` does.
    public func begin(_ name: String, flow: String) throws {
        guard let type = sessions.flow(named: flow) else {
            throw UsageError(description: CommandError.noFlow(flow, sessions.flows).sentence)
        }
        do throws(CommandError) {
            _ = try begin(ByteString(name), type)
        } catch {
            throw UsageError(description: error.sentence)
        }
    }

    /// Begins a session; whoever comes up against a limit learns how to move it.
    func begin(
        _ name: ByteString, _ flow: FlowType, _ data: JSON? = nil, from source: EventSource = .ui
    ) throws(CommandError) -> Session {
        do throws(CommandError) {
            return try sessions.begin(name, flow, data, from: source)
        } catch  where error.code == "LIMIT" {
            let isFull = sessions.count >= limits.sessions
            throw .limit(isFull ? \.sessions : \.nameLength, error.sentence)
        }
    }

    private func followLimits() {
        sessions.limits = Sessions.Limits(sessions: limits.sessions, nameLength: limits.nameLength)
        sessions.mostWaitingBytes = limits.waitingBytes
        connections.followLimits()
    }
}
