// The daemon: a host of flows, its clients, and the end of each turn.

import Commands
import Devices
import EventLoop
import GameFlow
import Journal
import Logging
import Network
import Posix
import RESP
import Sessions
import Store
import Timers

/// Hosts flows for clients that come over sockets.
final class Daemon {
    let loop: Loop
    let host: Host
    let connections: Connections
    /// Simulated devices; there are none until a device file is loaded.
    let bluetooth: BluetoothSource
    /// Keeps the sessions over a restart; nil if nothing does.
    private(set) var persistence: Persistence?

    init(
        on loop: Loop, flows: [FlowKind], limits: Limits = Limits(), token: Token? = nil, log: Log = .silent
    ) throws(LoopFailure) {
        self.loop = loop
        host = Host(
            on: loop.timekeeper, flows: flows, commands: .all, limits: limits, token: token, log: log)
        connections = try Connections(of: host, on: loop)
        bluetooth = BluetoothSource(of: host)
        host.turns = loop
        host.clients = connections
        host.devices = bluetooth
        host.whenLimitsMove = { [unowned connections] in connections.followLimits() }
        loop.atEndOfTurn { [unowned self] in endTurn() }
    }

    var sessions: Sessions { host.sessions }
    var log: Log { host.log }
    var timekeeper: Timekeeper { loop.timekeeper }
    var limits: Limits {
        get { host.limits }
        set { host.limits = newValue }
    }

    /// Begins a session, as `NEW` does.
    package func begin(_ name: String, flow: String) throws(UsageError) {
        do throws(CommandError) { try host.begin(name, flow: flow) } catch { throw UsageError(error.sentence) }
    }

    /// From now on what happens is kept there.
    @discardableResult
    package func keep(in store: any Store) throws(LoopFailure) -> Persistence {
        let limits = Persistence.Limits(historyLines: limits.historyLines, sessionHistory: limits.sessionHistory)
        let persistence = try Persistence(store, of: sessions, on: loop, limits: limits, log: log)
        self.persistence = persistence
        host.persistence = persistence
        return persistence
    }

    /// Restores what was kept; until that is done nobody is told anything about sessions. Nil if nothing is kept: there is nothing to
    /// wait for then.
    package func recover(whenDone: @escaping (Result<Void, any Error>) -> Void) throws(LoopFailure) -> Recovery? {
        guard let persistence else { return nil }
        host.isLoading = true
        return try persistence.recover { [unowned self] restored in
            host.trouble = CommandError("LOADING", "\(restored) sessions are back and there are more; try again in a moment")
        } whenDone: { [unowned self] result in
            host.isLoading = false
            host.trouble = nil
            whenDone(result)
        }
    }

    // MARK: The end of a turn

    /// The journal first, then what may leave.
    private func endTurn() {
        if let persistence { endTurn(persistence) } else { connections.releaseOutput(awaiting: nil) }
        connections.closeGone()
    }

    private func endTurn(_ persistence: Persistence) {
        let end = persistence.endTurn()
        connections.releaseHeld(through: end.safeThrough)
        connections.releaseOutput(awaiting: end.awaited)
        if end.isNews { follow(end.failure) }
        // What is done in the turn that learns of the failure is not safe either.
        if let failure = end.failure, end.isNews || end.awaited != nil {
            connections.takeBackHeld(Self.inVain(failure), safe: end.safeThrough)
        }
        let isCrowded = persistence.backlogBytes > limits.journalBacklog
        if isCrowded != connections.isCrowded { connections.isCrowded = isCrowded }
    }

    private func follow(_ failure: String?) {
        host.trouble = failure.map { CommandError("JOURNAL", $0) }
        loop.holdsTimers = failure != nil
        if let failure { log.error("the journal: \(failure)") } else { log.notice("the journal can be written again") }
    }

    /// For a client that waits for an answer to what cannot be made safe.
    private static func inVain(_ failure: String) -> CommandError {
        CommandError(
            "JOURNAL",
            "\(failure); what you asked may have been done, but it is not on disk: it will be once that can be written, or is lost if gamed ends before"
        )
    }
}

extension Loop: TurnBudget {}
