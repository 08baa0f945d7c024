// This daemon as a node of a cluster: performs the actions of its member, and knows whether it may serve.

import Cluster
import EventLoop
import GameFlow
import Journal
import Logging
import Posix
import RESP
import Sessions
import Store

/// Serves the sessions of the node's shards.
package protocol ClusterServer: AnyObject {
    /// `holdsTimers` or `failure` of the node may be others now.
    func servingDidChange()
    /// The sessions of this shard are here.
    func shardDidLoad(_ number: Int)
}

/// Notified when this node joins and leaves the cluster.
package protocol ClusterNodeDelegate: AnyObject {
    /// It has joined, and has loaded its first shards.
    func nodeDidJoin()
    /// Everything is handed over.
    func nodeDidLeave()
    /// The registry has refused it.
    func nodeWasRefused(_ error: StoreError)
}

package final class ClusterNode {
    package private(set) var member: Member
    let persistence: Persistence
    private let loop: Loop
    private let log: Log
    private let clock: StoreClock
    private var registry: RegistryThread?
    private var watch: WakerWatch?
    private var alarm: Delay?
    /// Whether it may answer and fire timers, as of the beginning of the turn.
    private var mayServe = false
    /// When that has to be looked at again.
    private var servesUntil = Instant.zero
    package unowned var delegate: (any ClusterNodeDelegate)?
    /// The newest reason why it cannot serve; nil if it can, or if no reason is known.
    private var reportedFailure: String?
    private var isReady = false
    private(set) var moves = MoveLog()
    private(set) var tally = ClusterTally()
    /// Whether shards have left since `consumeLossFlag` was called.
    private var hasLosses = false
    package unowned var server: (any ClusterServer)?

    package init(
        _ member: Member, _ persistence: Persistence, on loop: Loop, _ clock: StoreClock, log: Log,
        registry open: @escaping @Sendable () throws -> any Registry
    ) throws {
        (self.member, self.persistence, self.loop, self.clock, self.log) = (member, persistence, loop, clock, log)
        let waker = try Waker()
        watch = try WakerWatch(waker, on: loop) { [unowned self] in listen() }
        alarm = try Delay(on: loop) { [unowned self] in handle(.timePassed) }
        member.define(persistence.definitions)
        registry = try RegistryThread(open) { waker.wake() }
        persistence.delegate = self
    }

    deinit { persistence.delegate = nil }

    /// Before it begins: where clients find it.
    package func setAddress(_ address: NodeAddress) { member.setAddress(address) }

    /// Publishes the endpoint of this node's page to the other nodes; nil without a page.
    package func open(_ door: NodeEndpoint?) {
        member.publish(door)
        if member.incarnation != nil { handle(.timePassed) }
    }

    /// Begins to join.
    package func start() { handle(.timePassed) }

    /// Hands everything over, within this time.
    package func leave(within timeout: Duration) { handle(.stop(deadline: Self.now.advanced(by: timeout))) }

    /// How much longer leaving takes at most, where the database may have lost something.
    package var maxLeaveTime: Duration { member.times.maxLeaveTime }

    /// Ends the connection to the registry, after `Persistence.finish`, which cancels its waits. The answer to the last question may have come after the
    /// loop's end.
    package func finish() {
        registry?.finish()
        if member.isOver { _ = member.handle(registry?.drainEvents() ?? [], at: Self.now) }
    }

    /// How many shards this node still owns, as far as the registry has confirmed. After it has left, 0.
    package var keptShards: Int { member.keptShards }

    /// Why the registry does not answer; nil if it does.
    package var registryFailure: String? { registry?.failure }

    static var now: Instant { Instant(nanoseconds: TurnClock.bootNanoseconds) }

    // MARK: Serving

    /// To be called at the beginning and at the end of every turn: the process may have slept.
    package func refreshServing() {
        let may = Self.now < servesUntil
        guard may != mayServe else { return }
        mayServe = may
        server?.servingDidChange()
    }

    /// Why no session can be served; nil if those that are here can.
    package var failure: String? {
        mayServe ? nil : registry?.failure ?? "this node has no lease: the database has not answered"
    }

    package var holdsTimers: Bool { !mayServe || persistence.isRestoring }

    /// Throws where sessions of this slot are not to be answered for here.
    package func check(slot: Int) throws(CommandError) {
        let shard = member.view.map.shard(ofSlot: slot)
        guard mayServe else { throw CommandError(.clusterDown, failure ?? "") }
        if persistence.serves(shard) { return }
        throw routingError(shard, slot)
    }

    package func isHere(slot: Int) -> Bool { persistence.serves(member.view.map.shard(ofSlot: slot)) }

    /// Whether shards have left since this was called last.
    package func consumeLossFlag() -> Bool { exchange(&hasLosses, with: false) }

    private func routingError(_ shard: Int, _ slot: Int) -> CommandError {
        if let problem = persistence.problem(ofShard: shard) {
            return CommandError(.clusterDown, "the sessions of slot \(slot) cannot be read: \(problem)")
        }
        switch member.route(ofShard: shard, at: Self.now) {
        case .here, .inTransfer:
            return CommandError(.tryAgain, "the sessions of slot \(slot) are in transfer; try again in a moment")
        case .noLease: return CommandError(.clusterDown, failure ?? "")
        case .elsewhere(let node) where node.address.port == 0:
            return CommandError(
                .clusterDown,
                "the sessions of slot \(slot) are at the node \(node.address), which has no TCP listener; "
                    + "start it with --listen HOST:PORT")
        case .elsewhere(let node): return CommandError(.moved, "\(slot) \(node.address)")
        case .unowned(.flowsMissing(let flows)):
            return CommandError(
                .clusterDown,
                "no node has the flows of the sessions in slot \(slot): \(flows.joined(separator: ", ")) (each is missing on at least one)"
            )
        case .unowned(.nobodyThere), .unowned(.soonTaken):
            return CommandError(.clusterDown, "slot \(slot) has no owner; try again in a moment")
        }
    }

    /// History's lines are dated by the clock that they are saved with.
    package var wallNanoseconds: Int64 { clock.latest().wallNanoseconds }

    // MARK: Events and actions

    private func listen() {
        let events = registry?.drainEvents() ?? []
        if !events.isEmpty { handle(events) }
    }

    /// The member's event for this; nil if the member ignores it.
    private func event(_ change: ShardEvent) -> MemberEvent? {
        switch change {
        case .loaded(let shard):
            server?.shardDidLoad(shard.number)
            return .loaded(shard: shard.number, epoch: shard.epoch)
        case .released(let shard): return .released(shard: shard.number, epoch: shard.epoch)
        case .lost(let shard):
            hasLosses = true
            return .lostTrack(shard: shard.number, epoch: shard.epoch)
        case .lacking(let shard, let flows):
            log.warning(
                "shard \(shard.number) cannot be served here: its sessions need "
                    + flows.map { "'\($0)'" }.joined(separator: ", ") + "; start this node with the same flows as the others")
            return .declined(shard: shard.number, epoch: shard.epoch, lacking: flows)
        case .unfit(let shard, let flows, let isHere):
            if isHere { return .misfits([shard.number: flows]) }
            log.warning(
                "shard \(shard.number) goes to another node: the definitions here do not fit "
                    + flows.sorted { $0.key < $1.key }.map { "\($0.value) of its sessions of '\($0.key)'" }.joined(
                        separator: ", ")
                    + ", and those of another may; gamectl cluster shows the flows whose definitions differ")
            return .unfit(shard: shard.number, epoch: shard.epoch, flows: flows)
        case .unreadable: return nil
        }
    }

    private func handle(_ events: MemberEvent...) { handle(events) }

    private func handle(_ events: [MemberEvent]) {
        let now = Self.now
        let version = member.view.version
        for event in events { tally.count(event, at: now) }
        defer { if member.view.version != version { moves.record(member.view, at: now) } }
        for action in member.handle(events, at: now) {
            tally.count(action, at: now)
            perform(action)
        }
        if let span = member.clock.nanoseconds(at: now) { clock.set(span, atBoot: now.nanoseconds) }
        servesUntil = member.servesUntil
        refreshServing()
        reportFailure()
        setAlarm(now)
        reportReady()
    }

    /// Logs once why nothing can be served. Clients get the newest reason.
    private func reportFailure() {
        if mayServe {
            if exchange(&reportedFailure, with: nil) != nil { log.notice("sessions are served again") }
            return
        }
        guard let failure = registry?.failure, failure != reportedFailure else { return }
        if reportedFailure == nil { log.error("cannot serve sessions: \(failure)") }
        reportedFailure = failure
        server?.servingDidChange()
    }

    private func perform(_ action: MemberAction) {
        switch action {
        case .ask(let question): registry?.ask(question)
        case .load(let shard, let epoch): persistence.load(Shard(shard, epoch: epoch))
        case .release(let shard): lose { persistence.release(shard) }
        case .forget(let shard): lose { persistence.forget(shard) }
        case .forgetAll: lose { persistence.forgetAll() }
        case .announce(let arrivals): registry?.announce(arrivals)
        case .warn(let jump):
            log.warning(
                "the database's clock has jumped by \(jump.milliseconds) ms: this node continues with its previous time; synchronize the clock"
            )
        case .reportOccupied:
            log.notice(
                "a node at \(member.address) has not left the cluster: this node joins when that lease expires, "
                    + "and exits if that node is alive")
        case .reportGoneBack(let versions):
            log.error(
                "the database has gone back in time, by \(versions) changes of nodes and shards at least: was it restored, or did it "
                    + "fail over to a replica that was behind? Nodes keep the sessions that they have; no epoch is used twice")
        case .refuseDouble: loop.schedule { [weak self] in self?.refuseDouble() }
        case .end: loop.schedule { [weak self] in self?.delegate?.nodeDidLeave() }
        }
    }

    private func refuseDouble() {
        delegate?.nodeWasRefused(
            StoreError(
                .inUse,
                "another node is alive at \(member.address): give each node its own address (--advertise HOST:PORT), or stop that node"
            ))
    }

    private func lose(_ letGo: () -> Void) {
        hasLosses = true
        letGo()
    }

    private func setAlarm(_ now: Instant) {
        let next = member.nextDeadline
        guard next != .never else { return alarm?.stop() ?? () }
        let left = max(0, next.nanoseconds(since: now))
        alarm?.start(milliseconds: Int(min(left / 1_000_000 + 1, 60_000)))
    }

    /// Reports once that this node is ready: all of its shards are loaded, and no shard is without owner, except for lack of flows.
    private func reportReady() {
        guard !isReady, member.incarnation != nil, !persistence.isLoading, member.view.free.allSatisfy(isMissed) else { return }
        isReady = true
        delegate?.nodeDidJoin()
    }

    private func isMissed(_ shard: Int) -> Bool {
        if case .flowsMissing = member.view.unownedReason(of: shard) { true } else { false }
    }
}

extension ClusterNode: PersistenceDelegate {
    package func shardsDidChange(_ changes: [ShardEvent]) {
        let events = changes.compactMap(event)
        if events.isEmpty { reportReady() } else { handle(events) }
    }

    package func restoringDidChange() { server?.servingDidChange() }

    /// The node may serve shards now that it declined before, and is asked again.
    package func hostedFlowsDidChange() {
        handle(.declines([:]), .defines(persistence.definitions), .misfits(persistence.misfits))
    }

    package func shouldDecline(_ shard: Int, unfit: [String: Int]) -> Bool { member.declines(shard, unfit: unfit) }

    package func processDidTrap() { if let incarnation = member.incarnation { registry?.releaseLease(of: incarnation) } }
}
