// A member, and a registry that goes back in time.

import Cluster
import Testing
import Timers

extension `A member of a cluster` {
    private var before: Remembered {
        Remembered(version: 1, epochs: [1, 1], owners: [me, other], nodes: [record(1), record(2)])
    }

    /// The news of a registry that was raised above `before`.
    private func raised() -> RegistryUpdate {
        let shards = [me, other].enumerated().map { ShardRecord(shard: $0, owner: $1, epoch: 1 + Remembered.jump) }
        return update(1 + Remembered.jump, nodes: [record(1), record(2)], shards: shards, rewinds: 1, renewals: 1)
    }

    @Test func `A node raises a registry that went back in time, and loads its shards 2.5 s later`() throws {
        let member = try joined([1, 2])
        let renewal = try question(member.handle(.timePassed, at: instant(1_000)))
        let actions = member.handle(.answered(renewal.number, .update(update(0))), at: instant(1_010))
        #expect(actions.first == .reportGoneBack(versions: 1) && !actions.contains(.forgetAll), "\(actions)")
        let raising = try self.renewal(actions)
        #expect(raising.seen == 0 && raising.raises == before && raising.moves.isEmpty)

        let later = member.handle(.answered(try question(actions).number, .update(raised())), at: instant(1_020))
        #expect(later == [.forget(shard: 0)])
        var loaded: [MemberAction] = []
        while loaded.isEmpty {
            let time = member.nextDeadline
            for action in member.handle(.timePassed, at: time) {
                if case .ask(let question) = action {
                    _ = member.handle(.answered(question.number, .failed), at: time)
                } else {
                    loaded.append(action)
                    #expect(time == instant(3_520))
                }
            }
        }
        #expect(loaded == [.load(shard: 0, epoch: 1 + Remembered.jump)])
    }

    @Test func `A shard that was held back is loaded once if the registry's answer with another epoch comes after that time`()
        throws
    {
        let member = try joined([1, 2])
        let renewal = try question(member.handle(.timePassed, at: instant(1_000)))
        let raising = try question(member.handle(.answered(renewal.number, .update(update(0))), at: instant(1_010)))
        _ = member.handle(.answered(raising.number, .update(raised())), at: instant(1_020))
        let next = try question(member.handle(.timePassed, at: member.nextDeadline))
        let record = ShardRecord(shard: 0, owner: me, epoch: 2 + Remembered.jump)
        let news = update(2 + Remembered.jump, shards: [record], rewinds: 1, renewals: 2)
        let actions = member.handle(.answered(next.number, .update(news)), at: instant(3_600))
        let loads = actions.filter { if case .load = $0 { true } else { false } }
        #expect(loads == [.load(shard: 0, epoch: 2 + Remembered.jump)])
    }

    @Test(arguments: [update(5, renewals: 1), update(5, rewinds: 1, renewals: 3), update(0, renewals: 3)])
    func `A node raises a registry that has fewer renewals or versions, or more rewinds, than before`(
        answer: RegistryUpdate
    ) throws {
        let member = try joined([1, 2])
        let first = try question(member.handle(.timePassed, at: instant(1_000)))
        _ = member.handle(.answered(first.number, .update(update(1, renewals: 1))), at: instant(1_010))
        let second = try question(member.handle(.timePassed, at: instant(2_000)))
        let actions = member.handle(.answered(second.number, .update(answer)), at: instant(2_010))
        #expect(try self.renewal(actions).raises?.epochs == before.epochs)
    }

    @Test func `A node raises a registry that has forgotten it`() throws {
        let member = try joined([1, 2])
        let renewal = try question(member.handle(.timePassed, at: instant(1_000)))
        let actions = member.handle(.answered(renewal.number, .forgotten(version: 0)), at: instant(1_010))
        #expect(actions.first == .reportGoneBack(versions: 1) && !actions.contains(.forgetAll), "\(actions)")
        #expect(try self.renewal(actions).raises == before)
    }

    @Test func `A node takes no shards without owner for 2.5 s after the registry was raised`() throws {
        let member = try joined([1, 2])
        let renewal = try question(member.handle(.timePassed, at: instant(1_000)))
        let asked = try question(member.handle(.answered(renewal.number, .update(update(0))), at: instant(1_010)))
        let shards = (0...1).map { ShardRecord(shard: $0, owner: nil, epoch: 2 + Remembered.jump) }
        let news = update(1 + Remembered.jump, nodes: [record(1), record(2)], shards: shards, rewinds: 1, renewals: 1)
        var actions = member.handle(.answered(asked.number, .update(news)), at: instant(1_020))
        var (time, renewals, moves) = (instant(1_020), Int64(1), [Move]())
        while moves.isEmpty {
            if case .ask(let asked)? = actions.first(where: { if case .ask = $0 { true } else { false } }) {
                let renewal = try self.renewal(actions)
                #expect(renewal.rewinds == 1)
                moves = renewal.moves
                renewals += 1
                let answer = update(1 + Remembered.jump, rewinds: 1, renewals: renewals)
                actions = member.handle(.answered(asked.number, .update(answer)), at: time)
            } else {
                time = max(time, member.nextDeadline)
                try #require(time < instant(6_000))
                actions = member.handle(.timePassed, at: time)
            }
        }
        #expect(time >= instant(3_520), "\(time)")
        #expect(moves.count == 1 && moves.allSatisfy { $0.to == me && $0.from == nil }, "\(moves)")
    }

    /// Shard 0 is released before the failure, shard 1 after it.
    @Test(arguments: [510, 530] as [Int64])
    func `A node whose question to the registry failed loads a released shard again before it hands it over`(
        releasedAt: Int64
    ) throws {
        let member = try joined([1, 1, 2, 2])
        let stopping = member.handle([.stop(deadline: instant(20_000))], at: instant(500))
        #expect(stopping.contains(.release(shard: 0)) && stopping.contains(.release(shard: 1)))
        let released = member.handle([.released(shard: 0, epoch: 1)], at: instant(510))
        #expect(!released.contains { if case .ask = $0 { true } else { false } }, "one question at a time")
        if releasedAt < 520 { _ = member.handle(.released(shard: 1, epoch: 1), at: instant(releasedAt)) }
        _ = member.handle(.answered(try question(stopping).number, .failed), at: instant(520))
        if releasedAt > 520 { _ = member.handle(.released(shard: 1, epoch: 1), at: instant(releasedAt)) }
        let next = member.handle(.timePassed, at: member.nextDeadline)
        #expect(try self.renewal(next).isPlain, "the lease is renewed first")
        let answered = Answer.update(update(1, renewals: 1))
        let renewal = try renewal(member.handle(.answered(try question(next).number, answered), at: instant(730)))
        #expect(renewal.moves.map(\.to) == [me, me], "\(renewal.moves)")
    }

    @Test func `A node releases no shard from a failed question to the next answer`() throws {
        let member = try joined([1, 2])
        let failed = try question(member.handle(.timePassed, at: instant(1_000)))
        var actions = member.handle(.stop(deadline: instant(20_000)), at: instant(1_005))
        actions += member.handle(.answered(failed.number, .failed), at: instant(1_010))
        #expect(!actions.contains(.release(shard: 0)))
        let next = member.handle(.timePassed, at: member.nextDeadline)
        #expect(!next.contains(.release(shard: 0)))
        let answer = update(1, renewals: 1)
        let answered = member.handle(.answered(try question(next).number, .update(answer)), at: instant(1_220))
        #expect(answered.contains(.release(shard: 0)), "at once, not at the next renewal")
    }

    @Test func `A node does not raise a shard whose owner it does not know as a node`() throws {
        let member = try joined([1, 2])
        let renewal = try question(member.handle(.timePassed, at: instant(1_000)))
        let news = update(2, shards: [ShardRecord(shard: 1, owner: Incarnation(3), epoch: 2)], renewals: 1)
        _ = member.handle(.answered(renewal.number, .update(news)), at: instant(1_010))
        let next = try question(member.handle(.timePassed, at: instant(2_000)))
        let raises = try self.renewal(member.handle(.answered(next.number, .update(update(0))), at: instant(2_010))).raises
        #expect(raises?.epochs == [1, 0] && raises?.owners == [me, nil])
    }

    @Test func `A node ends no other one until a registry that went back in time has replied steadily again`() throws {
        let member = try joined([1, 2])
        let renewal = try question(member.handle(.timePassed, at: instant(10_000)))
        let actions = member.handle(.answered(renewal.number, .update(update(0))), at: instant(10_010))
        var asked = try question(actions)
        var time = instant(10_010)
        while ends(asked).isEmpty {
            time = time.advanced(by: .milliseconds(10))
            let answer = RegistryUpdate(
                time: RegistryTime(microseconds: -1), version: 1 + Remembered.jump, nodes: [record(1), record(2)], shards: [],
                lapsing: [LapsingLease(incarnation: other, remaining: .seconds(-10))], rewinds: 1, renewals: time.nanoseconds)
            var actions = member.handle(.answered(asked.number, .update(answer)), at: time)
            while !actions.contains(where: { if case .ask = $0 { true } else { false } }) {
                time = max(time, member.nextDeadline)
                actions = member.handle(.timePassed, at: time)
            }
            asked = try question(actions)
        }
        #expect((instant(12_520)...instant(13_600)).contains(time), "\(time)")
    }

    private func ends(_ question: Question) -> [Incarnation] {
        guard case .renew(let renewal) = question.request else { return [] }
        return renewal.ends
    }
}
