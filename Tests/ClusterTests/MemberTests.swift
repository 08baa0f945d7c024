import Testing
import Timers
@testable import Cluster

/// One node. The test gives its events, at milliseconds of the node's clock.
@Suite struct `A member of a cluster` {
    let me = Incarnation(1)
    let other = Incarnation(2)

    private func member(shards: Int = 4) -> Member {
        Member(
            id: nodeID(1), address: NodeAddress(host: "node-1", port: 7654), map: ShardMap(count: shards) ?? .usual)
    }

    func question(_ actions: [MemberAction], sourceLocation: SourceLocation = #_sourceLocation) throws -> Question {
        let asked = actions.compactMap { action in
            if case .ask(let question) = action { question } else { nil }
        }
        return try #require(asked.first, sourceLocation: sourceLocation)
    }

    func renewal(_ actions: [MemberAction]) throws -> Renewal {
        guard case .renew(let renewal) = try question(actions).request else { throw Unexpected() }
        return renewal
    }

    struct Unexpected: Error {}

    /// A node that joined at 0 ms with these owners of shards, and has loaded its own.
    func joined(_ owners: [Int], others: [NodeRecord] = [record(2)]) throws -> Member {
        let member = member(shards: owners.count)
        let join = try question(member.handle(.timePassed, at: instant(0)))
        let everything = update(1, nodes: [record(1)] + others, shards: owned(owners))
        for action in member.handle(.answered(join.number, .joined(me, everything, deaths: 0)), at: instant(0)) {
            if case .load(let shard, let epoch) = action {
                _ = member.handle(.loaded(shard: shard, epoch: epoch), at: instant(0))
            }
        }
        return member
    }

    @Test func `A lease counts from the time of its request`() throws {
        let member = member()
        let join = try question(member.handle(.timePassed, at: instant(0)))
        _ = member.handle(.answered(join.number, .joined(me, update(1, nodes: [record(1)]), deaths: 0)), at: instant(2_000))
        #expect(member.mayServe(at: instant(2_799)))
        #expect(!member.mayServe(at: instant(2_800)))
    }

    @Test func `A lease is renewed each second, and requested again after a failure`() throws {
        let member = try joined([1, 2])
        #expect(member.nextDeadline == instant(500), "early, for nodes that joined meanwhile")
        let first = try question(member.handle(.timePassed, at: instant(500)))
        _ = member.handle(.answered(first.number, .update(update(1))), at: instant(510))
        #expect(member.nextDeadline == instant(1_500))
        let second = try question(member.handle(.timePassed, at: instant(1_500)))
        #expect(member.nextDeadline == .never, "one request is in flight at a time")
        _ = member.handle(.answered(second.number, .failed), at: instant(1_800))
        #expect(member.nextDeadline == instant(2_000))
    }

    /// As while the tables of a shard are being written: then the whole transaction fails.
    @Test func `A node keeps its lease while all of its requests to move shards fail`() throws {
        let member = try joined([1, 1, 1, 1])
        let given = (0..<4).filter { !member.serves($0, at: instant(0)) }
        var actions = member.handle(given.map { .released(shard: $0, epoch: 1) }, at: instant(1))
        var (time, failures, renewals) = (instant(1), 0, Int64(0))
        while time < instant(20_000) {
            while let action = actions.popLast() {
                switch action {
                case .ask(let question):
                    guard case .renew(let renewal) = question.request else { throw Unexpected() }
                    time = time.advanced(by: .milliseconds(renewal.moves.isEmpty ? 5 : 700))
                    failures += renewal.moves.isEmpty ? 0 : 1
                    renewals += renewal.moves.isEmpty ? 1 : 0
                    let answer = renewal.moves.isEmpty ? Answer.update(update(1, renewals: renewals)) : .failed
                    actions += member.handle(.answered(question.number, answer), at: time)
                case .release(let shard): actions += member.handle(.released(shard: shard, epoch: 1), at: time)
                default: break
                }
            }
            time = max(time, member.nextDeadline)
            #expect(member.mayServe(at: time), "\(time)")
            actions = member.handle(.timePassed, at: time)
        }
        #expect(failures > 5)
    }

    @Test func `A node that slept past its lease stops serving before it asks the registry`() throws {
        let member = try joined([1, 2])
        #expect(member.serves(0, at: instant(100)))
        #expect(!member.serves(0, at: instant(60_000)))
    }

    @Test func `A node whose incarnation ended rejoins as a new one, without shards`() throws {
        let member = try joined([1, 2])
        let renewal = try question(member.handle(.timePassed, at: instant(1_000)))
        let actions = member.handle(.answered(renewal.number, .ended), at: instant(1_010))
        #expect(actions.first == .forgetAll)
        guard case .join(let joining) = try question(actions).request else { throw Unexpected() }
        #expect(joining.id == nodeID(1))
        #expect(joining.attempt > 1)
        #expect(!member.mayServe(at: instant(1_010)))
    }

    @Test(arguments: [true, false])
    func `A node that was ended while its clock stood still reports a jump of the registry's clock only if it is alone`(
        hasOthers: Bool
    ) throws {
        let others = hasOthers ? [record(2)] : []
        func timed(_ version: Int64, after milliseconds: Int64) -> RegistryUpdate {
            let time = RegistryTime(microseconds: 1_700_000_000_000_000 + milliseconds * 1_000)
            return RegistryUpdate(
                time: time, version: version, nodes: others, shards: [], lapsing: [], rewinds: 0, renewals: version)
        }
        let member = try joined([1, 1], others: others)
        let renewal = try question(member.handle(.timePassed, at: instant(1_000)))
        _ = member.handle(.answered(renewal.number, .update(timed(1, after: 1_000))), at: instant(1_010))
        let late = try question(member.handle(.timePassed, at: instant(2_000)))
        let join = try question(member.handle(.answered(late.number, .ended), at: instant(2_010)))
        let joined = Answer.joined(Incarnation(3), timed(2, after: 14_000), deaths: 0)
        let actions = member.handle(.answered(join.number, joined), at: instant(2_020))
        let warnings = actions.filter { if case .warn = $0 { true } else { false } }
        #expect(warnings.count == (hasOthers ? 0 : 1), "\(actions)")
    }

    @Test func `A late answer to a request that has failed is ignored`() throws {
        let member = try joined([1, 2])
        let renewal = try question(member.handle(.timePassed, at: instant(1_000)))
        _ = member.handle(.answered(renewal.number, .failed), at: instant(1_100))
        _ = member.handle(.answered(renewal.number, .ended), at: instant(1_200))
        #expect(member.serves(0, at: instant(1_200)))
    }

    @Test func `A shard is released, assigned to another node, and no longer owned`() throws {
        let member = try joined([1, 1, 1, 1], others: [])
        let first = try question(
            member.handle(.shardsGained([]), at: instant(100)) + member.handle(.timePassed, at: instant(400)))
        let letGo = member.handle(.answered(first.number, .update(update(2, nodes: [record(2)]))), at: instant(401))
        #expect(letGo == [.release(shard: 3), .release(shard: 2)])
        #expect(!member.serves(3, at: instant(402)) && member.serves(1, at: instant(402)))
        let asked = member.handle(.released(shard: 3, epoch: 1), at: instant(410))
        #expect(try renewal(asked).moves == [Move(shard: 3, epoch: 1, from: me, to: other)])
        let moved = update(3, shards: [ShardRecord(shard: 3, owner: other, epoch: 2)])
        #expect(member.handle(.answered(try question(asked).number, .update(moved)), at: instant(420)) == [])
        #expect(member.shards == [0, 1, 2])
        #expect(member.view.owner(ofShard: 3) == other)
    }

    @Test func `A shard with a commit of unknown outcome is unloaded, and loaded under a new epoch`() throws {
        let member = try joined([1, 2])
        let actions = member.handle(.lostTrack(shard: 0, epoch: 1), at: instant(10))
        #expect(actions.first == .forget(shard: 0))
        #expect(try renewal(actions).moves == [Move(shard: 0, epoch: 1, from: me, to: me)])
        let answer = Answer.update(update(2, shards: [ShardRecord(shard: 0, owner: me, epoch: 2)]))
        #expect(member.handle(.answered(try question(actions).number, answer), at: instant(20)) == [.load(shard: 0, epoch: 2)])
        _ = member.handle(.loaded(shard: 0, epoch: 1), at: instant(30))
        #expect(!member.serves(0, at: instant(30)), "that was the old one")
        _ = member.handle(.loaded(shard: 0, epoch: 2), at: instant(40))
        #expect(member.serves(0, at: instant(40)))
    }

    @Test(arguments: [[1, 2], [1, 1]])
    func `A stopping node loads a shard again whose last commit has an unknown outcome, before it leaves the shard to others`(
        owners: [Int]
    ) throws {
        let member = try joined(owners, others: owners.contains(2) ? [record(2)] : [])
        var actions = member.handle([.lostTrack(shard: 0, epoch: 1), .stop(deadline: instant(30_000))], at: instant(10))
        #expect(try renewal(actions).moves == [Move(shard: 0, epoch: 1, from: me, to: me)])
        let own = update(2, nodes: [record(1, isLeaving: true)], shards: [ShardRecord(shard: 0, owner: me, epoch: 2)])
        actions = member.handle(.answered(try question(actions).number, .update(own)), at: instant(20))
        #expect(actions.contains(.load(shard: 0, epoch: 2)) && !actions.contains(.forgetAll), "\(actions)")
        _ = member.handle(.loaded(shard: 0, epoch: 1), at: instant(30))
        #expect(member.shards.contains(0) && !member.serves(0, at: instant(30)), "that was the old one")
        #expect(member.handle(.loaded(shard: 0, epoch: 2), at: instant(40)).contains(.release(shard: 0)))
    }

    @Test func `A declined shard is assigned to another node, and the reason is published`() throws {
        let member = try joined([1, 2])
        let poke = member.handle(.shardsGained([me]), at: instant(10)) + member.handle(.timePassed, at: instant(20))
        let gained = Answer.update(update(2, shards: [ShardRecord(shard: 1, owner: me, epoch: 2)]))
        let loads = member.handle(.answered(try question(poke).number, gained), at: instant(30))
        #expect(loads.contains(.load(shard: 1, epoch: 2)))
        let asked = try renewal(member.handle(.declined(shard: 1, epoch: 2, lacking: ["quiz"]), at: instant(40)))
        #expect(asked.standing?.declined == [1: ["quiz"]])
        #expect(asked.moves.contains(Move(shard: 1, epoch: 2, from: me, to: other)))
    }

    @Test func `A node publishes the first 16 flows that a declined shard lacks`() {
        let flows = (100..<1_100).map { "flow-\($0)" }
        var standing = NodeStatus(declined: [0: flows])
        standing.decline(1, lacking: flows)
        #expect(standing.declined == [0: Array(flows[..<16]), 1: Array(flows[..<16])])
    }

    @Test func `A node corrects its state in the registry even if the reply to its update was lost`() throws {
        let member = try joined([1, 2])
        let said = try question(member.handle(.declines([1: ["quiz"]]), at: instant(10)))
        _ = member.handle(.answered(said.number, .failed), at: instant(20))
        _ = member.handle(.declines([:]), at: instant(30))
        let next = try question(member.handle(.timePassed, at: instant(220)))
        let shown = Answer.update(update(2, nodes: [record(1, declined: [1: ["quiz"]])]))
        let mending = member.handle(.answered(next.number, shown), at: instant(230))
        #expect(try renewal(mending).standing == NodeStatus())
        #expect(member.handle(.answered(try question(mending).number, shown), at: instant(240)) == [], "not again and again")
        #expect(try renewal(member.handle(.timePassed, at: instant(440))).standing == NodeStatus())
    }

    @Test func `A node is ended as soon as its lease has expired, and its shards get other owners`() throws {
        let member = try joined([1, 2, 2, 3], others: [record(2), record(3)])
        for time in stride(from: Int64(1_000), to: 4_000, by: 1_000) {
            let question = try question(member.handle(.timePassed, at: instant(time)))
            let lapse = LapsingLease(incarnation: other, remaining: .milliseconds(3_450 - time))
            let isLate = time > 2_000
            _ = member.handle(.answered(question.number, .update(update(1, lapsing: isLate ? [lapse] : []))), at: instant(time))
        }
        #expect(member.nextDeadline > instant(3_449) && member.nextDeadline < instant(3_600))
        let end = try renewal(member.handle(.timePassed, at: member.nextDeadline))
        #expect(end.ends == [other])
        #expect(end.moves.map(\.shard) == [1, 2])
        #expect(end.moves.allSatisfy { $0.from == other && $0.to != other })
    }

    @Test func `No node is ended after an absence of the registry until all have had time to renew`() throws {
        let member = try joined([1, 2])
        let failed = try question(member.handle(.timePassed, at: instant(1_000)))
        _ = member.handle(.answered(failed.number, .failed), at: instant(10_000))
        let back = try question(member.handle(.timePassed, at: instant(10_200)))
        let lapse = LapsingLease(incarnation: other, remaining: .seconds(-6))
        _ = member.handle(.answered(back.number, .update(update(1, lapsing: [lapse]))), at: instant(10_201))
        #expect(member.nextDeadline == instant(11_200))
        #expect(member.serves(0, at: instant(10_201)), "no node has taken it")
    }

    @Test func `A node that stops hands over all its shards, and then leaves`() throws {
        let member = try joined([1, 1, 2, 2])
        var actions = member.handle(.stop(deadline: instant(30_000)), at: instant(100))
        #expect(actions.prefix(2) == [.release(shard: 1), .release(shard: 0)])
        #expect(try renewal(actions).standing?.isLeaving == true)
        actions = member.handle(
            .answered(try question(actions).number, .update(update(2, nodes: [record(1, isLeaving: true)]))), at: instant(110))
        _ = member.handle(.released(shard: 0, epoch: 1), at: instant(120))
        actions = member.handle(.released(shard: 1, epoch: 1), at: instant(121))
        #expect(member.serves(0, at: instant(121)) == false)
        let gone = update(3, shards: (0..<2).map { ShardRecord(shard: $0, owner: other, epoch: 2) })
        actions = member.handle(.answered(3, .update(gone)), at: instant(130))
        #expect(try question(actions).request == .leave(me))
        #expect(member.handle(.answered(try question(actions).number, .left), at: instant(140)) == [.end])
        #expect(member.isOver && member.nextDeadline == .never && member.keptShards == 0)
    }

    @Test func `A node that crashed before and owns no shard leaves at once when it stops`() throws {
        let member = member()
        let join = try question(member.handle(.timePassed, at: instant(0)))
        let published = [false, true].map {
            NodeRecord(
                id: nodeID(1), incarnation: me, address: member.address,
                standing: NodeStatus(isLeaving: $0, isUnproven: true), hasEnded: false)
        }
        let everything = update(1, nodes: [published[0], record(2)], shards: owned([2, 2, 2, 2]))
        _ = member.handle(.answered(join.number, .joined(me, everything, deaths: 3)), at: instant(0))
        let stopping = try question(member.handle(.stop(deadline: instant(60_000)), at: instant(100)))
        let answer = Answer.update(update(2, nodes: [published[1]]))
        #expect(try question(member.handle(.answered(stopping.number, answer), at: instant(110))).request == .leave(me))
    }

    private func letGo(_ actions: [MemberAction]) -> [Int] {
        actions.compactMap { if case .release(let shard) = $0 { shard } else { nil } }
    }

    @Test func `A stopping node releases shards no faster than other nodes serve them`() throws {
        let member = try joined(Array(repeating: 1, count: 64))
        let first = (0..<64).filter { !member.serves($0, at: instant(0)) }
        #expect(first.count == 3, "so that shares get even")
        var actions = member.handle(.stop(deadline: instant(30_000)), at: instant(100))
        #expect(letGo(actions) == [])
        let standing = Answer.update(update(2, nodes: [record(1, isLeaving: true)]))
        #expect(letGo(member.handle(.answered(try question(actions).number, standing), at: instant(110))) == [])
        actions = member.handle(first.map { .released(shard: $0, epoch: 1) }, at: instant(120))
        #expect(try letGo(actions) == [] && renewal(actions).moves.map(\.shard) == first.sorted(), "one question for all")
        let moved = Answer.update(update(3, shards: first.map { ShardRecord(shard: $0, owner: other, epoch: 2) }))
        #expect(letGo(member.handle(.answered(try question(actions).number, moved), at: instant(130))) == [])
        let arrivals = first.prefix(2).map { Arrival(shard: $0, epoch: 2) }
        #expect(letGo(member.handle(.arrived([Arrival(shard: first[2], epoch: 1)]), at: instant(140))) == [], "an old transfer")
        #expect(letGo(member.handle(.arrived(arrivals), at: instant(150))).count == 2)
        #expect(member.nextDeadline == instant(630))
        #expect(letGo(member.handle(.timePassed, at: instant(630))).count == 1)
    }

    @Test func `A node announces each shard that it serves once, also one that had no owner`() throws {
        let member = try joined([1, 2, 0])
        let poke = member.handle(.shardsGained([me]), at: instant(10)) + member.handle(.timePassed, at: instant(20))
        let gained = Answer.update(update(2, shards: [1, 2].map { ShardRecord(shard: $0, owner: me, epoch: 2) }))
        _ = member.handle(.answered(try question(poke).number, gained), at: instant(30))
        #expect(member.handle(.loaded(shard: 1, epoch: 1), at: instant(40)) == [], "that was an earlier one")
        #expect(member.handle(.loaded(shard: 1, epoch: 2), at: instant(40)) == [.announce([Arrival(shard: 1, epoch: 2)])])
        #expect(member.handle(.loaded(shard: 1, epoch: 2), at: instant(50)) == [])
        #expect(member.handle(.loaded(shard: 2, epoch: 2), at: instant(50)) == [.announce([Arrival(shard: 2, epoch: 2)])])
    }

    @Test(arguments: [[2, 2], [1, 2]])
    func `A stop ends without the registry, and 10 s later if the node owns shards`(
        owners: [Int]
    ) throws {
        let member = try joined(owners)
        let last: Int64 = owners.contains(1) ? 15_000 : 5_000
        let renewal = try question(member.handle(.timePassed, at: instant(1_000)))
        _ = member.handle(.stop(deadline: instant(5_000)), at: instant(1_100))
        _ = member.handle(.answered(renewal.number, .failed), at: instant(2_000))
        var time = instant(2_000)
        while !member.isOver, time < instant(20_000) {
            time = max(time, member.nextDeadline)
            for case .ask(let question) in member.handle(.timePassed, at: time) {
                time = time.advanced(by: .milliseconds(500))
                _ = member.handle(.answered(question.number, .failed), at: time)
            }
        }
        #expect(member.isOver && time >= instant(last) && time <= instant(last + 1_600))
        #expect(member.keptShards == owners.count { $0 == 1 }, "they are not handed over")
        _ = member.handle(.answered(0, .left), at: time)
        #expect(member.keptShards == 0, "the answer came too late to wait for it")
    }

    @Test func `A node that has handed over its shards late still asks to leave`() throws {
        let member = try joined([1, 2])
        let leaving = Answer.update(update(2, nodes: [record(1, isLeaving: true)]))
        var asked = try question(member.handle(.stop(deadline: instant(500)), at: instant(100)))
        _ = member.handle(.answered(asked.number, leaving), at: instant(110))
        asked = try question(member.handle(.timePassed, at: instant(1_100)))
        _ = member.handle(.answered(asked.number, .update(update(2))), at: instant(1_110))
        asked = try question(member.handle(.released(shard: 0, epoch: 1), at: instant(1_900)))
        #expect(asked.request == .leave(me) && member.nextDeadline == instant(2_900), "it waits for the answer")
        #expect(member.handle(.answered(asked.number, .left), at: instant(1_920)) == [.end])
        #expect(member.keptShards == 0)
    }

    @Test func `The registry's time is known to within a round trip`() throws {
        let member = member()
        let join = try question(member.handle(.timePassed, at: instant(100)))
        let everything = RegistryUpdate(
            time: RegistryTime(microseconds: 1_000_000), version: 1, nodes: [record(1)], shards: [], lapsing: [])
        _ = member.handle(.answered(join.number, .joined(me, everything, deaths: 0)), at: instant(110))
        #expect(member.clock.nanoseconds(at: instant(110)) == 999_980_000...1_010_020_999)
    }

    private func answer(_ milliseconds: Int64, nodes: [NodeRecord] = []) -> RegistryUpdate {
        RegistryUpdate(
            time: RegistryTime(microseconds: milliseconds * 1_000), version: 1, nodes: nodes, shards: owned([1]), lapsing: [])
    }

    @Test func `A jump of the registry's clock is reported and published, and does not change the time in use`() throws {
        let member = member(shards: 1)
        let join = try question(member.handle(.timePassed, at: instant(0)))
        _ = member.handle(.answered(join.number, .joined(me, answer(5_000, nodes: [record(1)]), deaths: 0)), at: instant(0))
        let first = try question(member.handle(.timePassed, at: instant(500)))
        _ = member.handle(.answered(first.number, .update(answer(5_500))), at: instant(500))
        let second = try question(member.handle(.timePassed, at: instant(1_500)))
        let actions = member.handle(.answered(second.number, .update(answer(36_500))), at: instant(1_500))
        #expect(actions.contains { if case .warn(let jump) = $0 { jump.milliseconds == 30_000 } else { false } }, "\(actions)")
        #expect(try #require(member.clock.nanoseconds(at: instant(1_500))).contains(6_500_000_000))
        let third = try renewal(
            actions.contains { if case .ask = $0 { true } else { false } }
                ? actions : member.handle(.timePassed, at: instant(2_500)))
        #expect(third.standing?.clock.jumps == 1)
    }

    @Test func `A node that joins after a jump uses the time of the others`() throws {
        let member = member(shards: 1)
        let join = try question(member.handle(.timePassed, at: instant(0)))
        var standing = NodeStatus()
        standing.clock = try #require(ClockCorrection(jumps: 1, nanoseconds: -30_000_000_000, error: 1_000))
        let other = NodeRecord(
            id: nodeID(2), incarnation: other, address: NodeAddress(host: "node-2", port: 1), standing: standing,
            hasEnded: false)
        _ = member.handle(
            .answered(join.number, .joined(me, answer(36_500, nodes: [record(1), other]), deaths: 0)), at: instant(0))
        #expect(try #require(member.clock.nanoseconds(at: instant(0))).contains(6_500_000_000))
        #expect(member.clock.correction.jumps == 1)
    }
}
