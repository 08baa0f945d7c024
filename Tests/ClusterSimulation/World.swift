// A cluster in virtual time: a registry, nodes, and the messages between them, some of which are late or lost. One seed replays all of it.

import Cluster
import Seeds
import Timers

package final class World {
    enum Event {
        /// The registry gets a request, and answers it if that is not lost.
        case arrives(node: Int, process: Int, Question, answers: Bool)
        case tell(node: Int, process: Int, MemberEvent)
        /// A notification of the registry reaches some of the nodes.
        case notify(MemberEvent, nodes: Range<Int>)
        case wake(node: Int)
        case load(node: Int, process: Int, shard: Int, epoch: Int64)
        /// A commit reaches the registry: it is the change after `count` others.
        case commit(node: Int, process: Int, shard: Int, epoch: Int64, count: Int, answers: Bool)
        case committed(node: Int, process: Int, shard: Int, epoch: Int64, Outcome)
        case traffic(node: Int, process: Int)
        case thaw(node: Int)
        case run(() -> Void)
    }

    enum Outcome { case done, refused, unknown }

    let size: WorldSize
    let times: MemberTimes
    var random: SeededGenerator
    private(set) var now: Int64 = 0
    private var agenda = Agenda<Event>()
    let registry: FakeRegistry
    var nodes: [SimulatedNode] = []
    /// The registry is away until then.
    var awayUntil: Int64 = 0
    /// No failure happens after that, and no request is executed later.
    var calmAt: Int64 = 0
    /// When the registry last went back in time; nil if it never did.
    var rewoundAt: Int64?
    /// How many changes each shard's log has, and how many of them were acknowledged.
    var log: [Int]
    var acknowledged: [Int]
    package private(set) var violation: Violation?
    package private(set) var eventCount = 0
    package internal(set) var commitCount = 0
    /// Called with a shard when a node has loaded it.
    var onServed: (Int) -> Void = { _ in }

    package init(_ size: WorldSize, random: SeededGenerator, times: MemberTimes = MemberTimes()) {
        self.size = size
        self.times = times
        self.random = random
        log = Array(repeating: 0, count: size.shards)
        acknowledged = log
        let clock = SkewedClock(offset: 1_700_000_000 * .second, drift: Int64.random(in: -1_000...1_000, using: &self.random))
        registry = FakeRegistry(shards: size.shards, clock: clock, lease: times.lease)
        registry.onMove = { [unowned self] in checkMove($0, $1, $2) }
        registry.onEnd = { [unowned self] in checkEnd($0, $1) }
        registry.onNotify = { [unowned self] in notify(.shardsGained($0)) }
        registry.lag = { [unowned self] in chance(0.05) ? Int64.random(in: 1...5, using: &self.random) : 0 }
        for index in 0..<size.nodes { nodes.append(makeNode(index)) }
    }

    private func makeNode(_ index: Int) -> SimulatedNode {
        let clock = SkewedClock(
            offset: Int64.random(in: 0...86_400, using: &random) * .second,
            drift: Int64.random(in: -1_000...1_000, using: &random))
        return SimulatedNode(index: index, clock: clock, member: makeMember(index))
    }

    private func makeMember(_ index: Int) -> Member {
        let map = ShardMap(count: size.shards) ?? .usual
        return Member(
            id: NodeID(random: &random), address: NodeAddress(host: "node-\(index)", port: 7654), map: map, times: times)
    }

    // Time.

    func plan(_ event: Event, after delay: Int64) {
        agenda.add(event, at: now + delay)
    }

    func after(_ delay: Int64, _ body: @escaping () -> Void) {
        plan(.run(body), after: delay)
    }

    /// Runs until that time, or until a guarantee is violated.
    package func run(until end: Int64) throws {
        while let time = agenda.nextTime, time <= end {
            guard let (time, event) = agenda.next() else { break }
            now = max(now, time)
            eventCount += 1
            take(event)
            if let violation { throw violation }
        }
        now = end
    }

    func fail(_ text: String) {
        let seconds = Double(now / .millisecond) / 1_000
        if violation == nil { violation = Violation(description: "after \(seconds) s: \(text)") }
    }

    func milliseconds(_ range: ClosedRange<Double>) -> Int64 {
        Int64(Double.random(in: range, using: &random) * Double(Int64.millisecond))
    }

    func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &random) < probability
    }

    // Processes.

    /// Starts a node. `at` is the node whose address it uses, if that is not its own. `definition` is that of its only flow, and `unfit` is the
    /// number of sessions of each shard that it does not fit.
    func start(
        _ index: Int, at place: Int? = nil, lacks: Set<Int> = [], saysSo: Bool = false, definition: String = "",
        unfit: [Int: Int] = [:]
    ) {
        let node = nodes[index]
        guard !node.isUp else { return }
        node.process += 1
        (node.isUp, node.isLeaving, node.member, node.lacks) = (true, false, makeMember(place ?? index), lacks)
        (node.isDisconnected, node.isStale, node.hasCompared, node.firstJoinedAt) = (false, false, true, nil)
        (node.loaded, node.loading, node.missed, node.frozenUntil, node.timer) = ([:], [:], [], 0, .max)
        (node.unfit, node.unfitServed, node.recent) = (unfit, [], [:])
        if !definition.isEmpty { node.member.define(FlowDefinitions(["quiz": definition])) }
        node.hasBeenTroubled = now < max(node.troubledUntil, awayUntil)
        tell(node, saysSo ? .declines(Dictionary(uniqueKeysWithValues: lacks.map { ($0, ["flow"]) })) : .timePassed)
        plan(.traffic(node: index, process: node.process), after: milliseconds(0...200))
    }

    func kill(_ index: Int) {
        let node = nodes[index]
        node.isUp = false
        node.hasBeenTroubled = true
        (node.loaded, node.loading, node.missed) = ([:], [:], [])
    }

    func freeze(_ index: Int, for length: Int64) {
        let node = nodes[index]
        guard node.isUp, !node.isFrozen(now) else { return }
        node.frozenUntil = now + length
        node.hasBeenTroubled = true
        plan(.thaw(node: index), after: length)
    }

    func stop(_ index: Int, deadline: Duration = .seconds(20)) {
        let node = nodes[index]
        guard node.isUp else { return }
        node.isLeaving = true
        deliver(.tell(node: index, process: node.process, .stop(deadline: node.boot(now).advanced(by: deadline))), node)
    }

    // Events.

    private func take(_ event: Event) {
        switch event {
        case .arrives(let index, let process, let question, let answers): arrive(index, process, question, answers)
        case .tell(let index, _, _), .load(let index, _, _, _), .committed(let index, _, _, _, _), .traffic(let index, _),
            .wake(let index):
            deliver(event, nodes[index])
        case .notify(let event, let range): for node in nodes[range] where node.isUp { deliver(notice: event, node) }
        case .commit(let index, let process, let shard, let epoch, let count, let answers):
            commit(index, process, shard, epoch, count, answers)
        case .thaw(let index): thaw(nodes[index])
        case .run(let body): body()
        }
    }

    /// A frozen process gets the events that it missed when it resumes.
    private func deliver(_ event: Event, _ node: SimulatedNode) {
        guard node.isUp else { return }
        guard !node.isFrozen(now) else { return node.missed.append(event) }
        switch event {
        case .tell(_, node.process, let event): tell(node, event)
        case .wake: wake(node)
        case .load(_, node.process, let shard, let epoch): load(node, shard, epoch)
        case .committed(_, node.process, let shard, let epoch, let outcome): completeCommit(node, shard, epoch, outcome)
        case .traffic(_, node.process): commitRandomChange(node)
        case .tell, .load, .committed, .traffic, .arrives, .notify, .commit, .thaw, .run: break
        }
    }

    /// A resumed process handles the events that it missed in random order.
    private func thaw(_ node: SimulatedNode) {
        guard node.isUp, !node.isFrozen(now) else { return }
        checkServing(node)
        let missed = node.missed.shuffled(using: &random)
        node.missed = []
        for event in missed { deliver(event, node) }
        tell(node, .timePassed)
    }

    private func wake(_ node: SimulatedNode) {
        guard node.timer <= now else { return }
        node.timer = .max
        tell(node, .timePassed)
    }

    /// Has a member handle an event, and performs its actions.
    func tell(_ node: SimulatedNode, _ event: MemberEvent) {
        let servedUntil = node.member.servesUntil
        for action in node.member.handle([event], at: node.boot(now)) { perform(action, node) }
        guard node.isUp else { return }
        if node.firstJoinedAt == nil, node.member.incarnation != nil { node.firstJoinedAt = node.boot(now) }
        if node.member.servesUntil != servedUntil {
            checkLease(node)
            checkClock(node)
        }
        if case .loaded(let shard, _) = event { checkServed(node, shard) }
        arm(node)
    }

    private func arm(_ node: SimulatedNode) {
        let deadline = node.member.nextDeadline
        guard deadline < .last else { return }
        let time = max(now + 1, node.clock.time(of: deadline.nanoseconds) + .millisecond / 100)
        guard time < node.timer else { return }
        node.timer = time
        agenda.add(.wake(node: node.index), at: time)
    }

    private func perform(_ action: MemberAction, _ node: SimulatedNode) {
        switch action {
        case .ask(let question): send(question, node)
        case .load(let shard, let epoch):
            node.loading[shard] = epoch
            plan(.load(node: node.index, process: node.process, shard: shard, epoch: epoch), after: milliseconds(1...20))
        case .release(let shard): letGo(node, shard)
        case .forget(let shard):
            node.loading[shard] = nil
            node.loaded[shard] = nil
        case .forgetAll: (node.loaded, node.loading) = ([:], [:])
        case .announce(let arrivals): if now >= awayUntil { notify(.arrived(arrivals)) }
        case .warn(let jump): fail("node \(node.index) takes the registry's clock to have jumped by \(jump)")
        case .reportOccupied: break
        case .reportGoneBack(let versions):
            if rewoundAt == nil { fail("node \(node.index) takes the registry to have gone back by \(versions)") }
        case .refuseDouble(let other): refuseDouble(node, of: other)
        case .end: node.isUp = false
        }
    }

    // Requests to the registry, and its replies.

    func isTroubled(_ node: SimulatedNode) -> Bool { now < node.troubledUntil }

    private func send(_ question: Question, _ node: SimulatedNode) {
        let (index, process) = (node.index, node.process)
        let failure = Event.tell(node: index, process: process, .answered(question.number, .failed))
        if node.isDisconnected {
            node.isDisconnected = false
            return plan(failure, after: milliseconds(0.1...1))
        }
        if now < awayUntil { return plan(failure, after: chance(0.5) ? milliseconds(1...5) : .second) }
        guard isTroubled(node) else {
            return plan(.arrives(node: index, process: process, question, answers: true), after: milliseconds(0.2...2))
        }
        if chance(0.3) {
            // It is executed, soon or after its timeout, or not at all.
            if chance(0.7) {
                plan(
                    .arrives(node: index, process: process, question, answers: false),
                    after: min(milliseconds(0.2...4_000), max(calmAt - now, 0)))
            }
            return plan(failure, after: milliseconds(1...1_000))
        }
        plan(.arrives(node: index, process: process, question, answers: true), after: milliseconds(0.2...700))
    }

    private func arrive(_ index: Int, _ process: Int, _ question: Question, _ answers: Bool) {
        let node = nodes[index]
        let answer = now < awayUntil ? Answer.failed : registry.answer(question.request, at: now)
        if answer != .failed { noticeEnd(node) }
        guard answers else { return }
        let delay = isTroubled(node) ? milliseconds(0.2...700) : milliseconds(0.2...2)
        let isLost = isTroubled(node) && chance(0.1)
        plan(.tell(node: index, process: process, .answered(question.number, isLost ? .failed : answer)), after: delay)
    }

    /// The notification reaches two groups of nodes at different times.
    private func notify(_ event: MemberEvent) {
        let middle = Int.random(in: nodes.indices, using: &random)
        for range in [0..<middle, middle..<nodes.count] where !range.isEmpty {
            plan(.notify(event, nodes: range), after: milliseconds(0.2...1))
        }
    }

    private func deliver(notice: MemberEvent, _ node: SimulatedNode) {
        if isTroubled(node), chance(0.5) { return }
        if node.isFrozen(now) { return node.missed.append(.tell(node: node.index, process: node.process, notice)) }
        tell(node, notice)
    }

    // The daemon.

    private func load(_ node: SimulatedNode, _ shard: Int, _ epoch: Int64) {
        guard node.loading[shard] == epoch else { return }
        if now < awayUntil {
            return plan(
                .load(node: node.index, process: node.process, shard: shard, epoch: epoch), after: milliseconds(100...300))
        }
        node.loading[shard] = nil
        if node.lacks.contains(shard) {
            return tell(node, .declined(shard: shard, epoch: epoch, lacking: ["flow-\(shard % 7)"]))
        }
        let unfit = node.unfit[shard].map { ["quiz": $0] }
        if let unfit, node.member.declines(shard, unfit: unfit) {
            return tell(node, .unfit(shard: shard, epoch: epoch, flows: unfit))
        }
        guard rewoundAt == nil || isOwned(shard, epoch, by: node) else {
            return tell(node, .lostTrack(shard: shard, epoch: epoch))
        }
        appendMissing(node, shard, epoch)
        if log[shard] < acknowledged[shard] {
            fail("shard \(shard) has lost what was acknowledged: it has \(log[shard]) of \(acknowledged[shard]) changes")
        }
        node.recent[shard] = (epoch, log[shard])
        node.loaded[shard] = SimulatedNode.Loaded(epoch: epoch, count: log[shard])
        node.everLoaded.append(shard)
        tell(node, .loaded(shard: shard, epoch: epoch))
        if let unfit {
            node.unfitServed.insert(shard)
            tell(node, .misfits([shard: unfit]))
        }
        onServed(shard)
    }

    private func letGo(_ node: SimulatedNode, _ shard: Int) {
        node.loaded[shard]?.isLettingGo = true
        finishLettingGo(node, shard)
    }

    func finishLettingGo(_ node: SimulatedNode, _ shard: Int) {
        guard let loaded = node.loaded[shard], loaded.isLettingGo, !loaded.isCommitting, node.hasCompared else { return }
        node.loaded[shard] = nil
        plan(
            .tell(node: node.index, process: node.process, .released(shard: shard, epoch: loaded.epoch)),
            after: milliseconds(0.1...2))
    }
}
