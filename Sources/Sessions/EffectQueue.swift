// Queue of effects and events for sessions, first in, first out.

import GameFlow

/// Jobs in order, each with the chain that it belongs to: all that one step of one session has led to.
struct EffectQueue: ~Copyable {
    enum Job {
        /// The first of its effects.
        case effect
        /// Checks whether it is done, and notifies its parent.
        case checkCompletion
        /// An event for it.
        case deliver(Notice)
        /// The outcome of one of its children.
        case report(ChildUpdate)
        /// A child of this id could not begin.
        case failure(id: String, SessionError)

        /// Whether it is saved with the session until it is done.
        var isSaved: Bool {
            switch self {
            case .effect: true
            case .checkCompletion, .deliver, .report, .failure: false
            }
        }
    }

    struct Entry {
        let session: SessionReference
        let job: Job
        let chain: UInt64
        /// Counts all entries, in order.
        let number: UInt64
    }

    /// Entries in order.
    private struct Line {
        private var entries: [Entry] = []
        private var first = 0

        var next: Entry? { first < entries.count ? entries[first] : nil }

        mutating func append(_ entry: Entry) { entries.append(entry) }

        mutating func popNext() -> Entry? {
            guard let entry = next else { return nil }
            first += 1
            if first == entries.count || first > 256 && first > entries.count / 2 {
                entries.removeFirst(first)
                first = 0
            }
            return entry
        }
    }

    private struct Chain {
        var entries = 0
        var messages = 0
        /// Messages from other shards, one after the other, that have led to it.
        var steps = 0
        var isStopped = false
    }

    /// Jobs that are saved with their session until done, and may run in a later turn.
    private var saved = Line()
    /// Jobs that are not saved, and run in the turn that queued them.
    private var unsaved = Line()
    private var lastNumber: UInt64 = 0
    /// How many effects of a session are in the queue.
    private var waiting: [SessionReference: Int] = [:]
    private var chains: [UInt64: Chain] = [:]
    private var lastChain: UInt64 = 0
    /// The entry that is being taken care of.
    private var current: Entry?
    /// The steps of the message that is being applied; 0 if no message is.
    var incomingSteps = 0

    var isEmpty: Bool { saved.next == nil && unsaved.next == nil }

    // MARK: In and out

    /// Queues the job `times` times, in one chain.
    mutating func add(_ job: Job, for session: SessionReference, times: Int = 1) {
        let chain = current?.chain ?? newChain()
        chains[chain, default: Chain()].entries += times
        for _ in 0..<times {
            lastNumber += 1
            let entry = Entry(session: session, job: job, chain: chain, number: lastNumber)
            if job.isSaved { saved.append(entry) } else { unsaved.append(entry) }
        }
    }

    /// Queues a session's effects up to `count` in all, without those already queued.
    mutating func addEffects(_ count: Int, of session: SessionReference) {
        let known = waiting[session, default: 0]
        guard count > known else { return }
        waiting[session] = count
        // All effects of one step form one chain.
        add(.effect, for: session, times: count - known)
    }

    private mutating func newChain() -> UInt64 {
        lastChain += 1
        if incomingSteps > 0 { chains[lastChain] = Chain(steps: incomingSteps) }
        return lastChain
    }

    /// Returns the next entry; the caller must call `end` after it. With `onlyUnsaved`, saved entries stay for a later turn.
    mutating func begin(onlyUnsaved: Bool = false) -> Entry? {
        let isUnsavedNext = unsaved.next.map { first in saved.next.map { first.number < $0.number } ?? true } ?? false
        current = onlyUnsaved || isUnsavedNext ? unsaved.popNext() : saved.popNext()
        return current
    }

    mutating func end() {
        guard let entry = current else { return }
        current = nil
        if entry.job.isSaved { endEffect(of: entry.session) }
        chains[entry.chain]?.entries -= 1
        if chains[entry.chain]?.entries == 0 { chains[entry.chain] = nil }
    }

    private mutating func endEffect(of session: SessionReference) {
        let left = waiting[session, default: 1] - 1
        waiting[session] = left == 0 ? nil : left
    }

    // MARK: The bound

    enum ChainLimit {
        case below
        /// For the first time in this chain.
        case reached
        case exceeded
    }

    /// How many messages from other shards have led here, one after the other.
    var steps: Int { current.flatMap { chains[$0.chain]?.steps } ?? incomingSteps }

    /// Counts one more message in the chain of the current entry, unless it has reached its limit.
    mutating func count(atMost most: Int) -> ChainLimit {
        guard let chain = current?.chain, let counted = chains[chain] else { return .below }
        guard counted.messages >= most || counted.steps >= most else {
            chains[chain]?.messages += 1
            return .below
        }
        chains[chain]?.isStopped = true
        return counted.isStopped ? .exceeded : .reached
    }
}

/// An event for a session about another one, and the problem that its history records if it refuses it.
struct Notice {
    let event: String
    let data: JSON
    /// Nil where the refusal is the best explanation.
    let problem: SessionError?
    /// The child that the event is about and its stage, which the session remembers; nil if the event is about no child.
    var child: (id: String, stage: ChildSession.Stage?)?
}
