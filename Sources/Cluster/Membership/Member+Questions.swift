// When a member asks, and how it handles answers. One question is in flight at a time.

import Timers

extension Member {
    func handleAnswer(_ number: Int, _ answer: Answer, at now: Instant) {
        // The time for leaving may be over before the answer comes.
        if phase == .over, answer == .left { leftShards = 0 }
        guard let asked = underWay, asked.question.number == number else { return }
        underWay = nil
        nextQuestion = min(nextQuestion, asked.askedAt.advanced(by: times.renewal))
        switch (answer, asked.question.request) {
        case (.joined(let incarnation, let update, let deaths), .join):
            let steadySince = occupant?.since
            prove(afterDeaths: deaths, now)
            takeJoining(incarnation, update, asked.askedAt, now)
            if let steadySince { lease.recordAnswers(since: steadySince) }
        case (.occupied(let other, let leaseUntil), .join): waitForAddress(other, leaseUntil, asked.askedAt, now)
        case (.update(let update), .renew(let renewal)):
            applyUpdate(update, askedAt: asked.askedAt, at: now)
            // Changes that were not made now would not be made at once either.
            if !renewal.moves.allSatisfy(hasHappened) || (renewal.standing != nil && renewal.standing != published) {
                nextWord = now.advanced(by: times.retry)
                nextPlan = min(nextPlan, nextWord)
            }
        case (.left, .leave): finish(hasLeft: true)
        case (.ended, _): resetAfterEnd(at: now)
        case (.forgotten(let version), .renew): raise(from: version, now)
        case (.failed, let request), (.joined, let request), (.occupied, let request), (.update, let request),
            (.left, let request), (.forgotten, let request):
            takeFailure(of: request, now)
        }
    }

    private func hasHappened(_ move: Move) -> Bool {
        view.epoch(ofShard: move.shard) > move.epoch
    }

    /// A renewal with changes can fail while another transaction has locked a shard, and the next ones, too: the lease is renewed in between.
    private func takeFailure(of request: Request, _ now: Instant) {
        if case .renew(let renewal) = request { renewsLeaseFirst = !renewal.isPlain && renewal.raises == nil }
        doubtReleased()
        occupant = nil
        lease.interrupt()
        nextQuestion = now.advanced(by: times.retry)
        nextWord = nextQuestion
        nextPlan = .zero
    }

    func handleGain(_ gainers: [Incarnation], at now: Instant) {
        switch phase {
        case .inside(let me):
            nextQuestion = min(nextQuestion, now.advanced(by: gainers.contains(me) ? times.pause : times.hearsay))
        case .outside:
            // The answer to joining may lack this change.
            if underWay != nil { nextQuestion = min(nextQuestion, now.advanced(by: times.hearsay)) }
        case .parting, .over: break
        }
    }

    /// Plans and asks the question that is due.
    func sendDueQuestion(at now: Instant) {
        if let endsBy, now >= endsBy { return endLate(now) }
        guard underWay == nil else { return }
        switch phase {
        case .outside: join(now)
        case .inside(let me): renew(me, now)
        case .parting(let me): if now >= nextQuestion { ask(.leave(me), now) }
        case .over: break
        }
    }

    private func join(_ now: Instant) {
        if stopDeadline != nil { return finish() }
        guard now >= nextQuestion else { return }
        let replaced = occupant.flatMap { $0.isSilent(at: now, times) ? $0.node : nil }
        let joining = Joining(id: id, attempt: lastNumber + 1, address: address, standing: standing, replaces: replaced)
        ask(.join(joining), now)
    }

    private func renew(_ me: Incarnation, _ now: Instant) {
        guard now >= min(nextQuestion, nextPlan) else { return leaveIfDone(me, now) }
        if renewsLeaseFirst { return renewLease(me, now) }
        let renewal = plan(me, now)
        if now >= nextQuestion || (now >= nextWord && !renewal.isPlain) {
            ask(.renew(renewal), now)
        } else if !renewal.isPlain {
            nextPlan = min(nextPlan, nextWord)
        }
        leaveIfDone(me, now)
    }

    /// Changes follow once the registry has answered.
    private func renewLease(_ me: Incarnation, _ now: Instant) {
        if now >= nextQuestion {
            renewsLeaseFirst = false
            ask(.renew(plainRenewal(me)), now)
            nextPlan = .zero
        } else {
            nextPlan = nextQuestion
        }
        leaveIfDone(me, now)
    }

    func ask(_ request: Request, _ now: Instant) {
        lastNumber += 1
        let question = Question(number: lastNumber, request: request)
        underWay = (question, askedAt: now)
        nextQuestion = .never
        actions.append(.ask(question))
    }

    /// When the caller sends `timePassed`, if no other event comes first.
    package var nextDeadline: Instant {
        let stop = endsBy ?? .never
        let last = heldBack.shards.isEmpty ? stop : min(stop, heldBack.until)
        if underWay != nil { return last }
        switch phase {
        case .outside, .parting: return min(nextQuestion, last)
        case .inside: return min(nextQuestion, nextPlan, lastMoment ?? .never, last)
        case .over: return .never
        }
    }
}

// MARK: - Actions of a member, in their order

package enum MemberAction: Equatable, Sendable {
    /// Ask the registry. There is no other question in flight.
    case ask(Question)
    /// Load a shard, and report `loaded` or `declined`.
    case load(shard: Int, epoch: Int64)
    /// Stop serving a shard, commit its pending changes, and report `released` or `lostTrack`.
    case release(shard: Int)
    /// Drop a shard from memory at once, even with commits in flight; the member expects no reply.
    case forget(shard: Int)
    /// Drop all shards: this incarnation has ended.
    case forgetAll
    /// Notify all nodes that these shards are served here. It may be lost.
    case announce([Arrival])
    /// Log that the registry's clock has jumped by so much. No deadline of this node moves.
    case warn(clockJump: Duration)
    /// Report that another node has this node's address. It is waited for until its lease expires.
    case reportOccupied(Incarnation)
    /// Another node that is alive has this node's address: end with an error. Nothing more will be asked.
    case refuseDouble(Incarnation)
    /// Report that the registry has gone back in time. It lacks `versions` versions, or 0 if it has changed more than that since.
    case reportGoneBack(versions: Int64)
    /// It is over: nothing more will be asked.
    case end
}

package struct Question: Equatable, Sendable {
    package let number: Int
    package let request: Request

    package init(number: Int, request: Request) { (self.number, self.request) = (number, request) }
}
