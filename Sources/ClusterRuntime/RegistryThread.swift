// The thread that asks the registry, so that the loop never waits.

import Cluster
import Dispatch
import EventLoop
import Posix
import Synchronization

final class RegistryThread: Sendable {
    private struct Inbox {
        var question: Question?
        var arrivals: [Arrival] = []
        var events: [MemberEvent] = []
        var failure: String?
        /// After this one the process ends.
        var lastQuestion: Question?
        /// A connection has ended, and no question has been answered since.
        var hasLostConnection = false
        var isClosing = false
    }

    private static let retryMilliseconds: Int32 = 100
    private static let releaseTimeout = DispatchTimeInterval.seconds(1)

    private let open: @Sendable () throws -> any Registry
    private let onHeard: @Sendable () -> Void
    private let waker: Waker
    private let inbox = Mutex(Inbox())
    private let leaseReleased = DispatchSemaphore(value: 0)
    private let queue = DispatchQueue(label: "gamed.registry", qos: .userInteractive)

    /// `onHeard` is called on the thread when there are events to take.
    init(_ open: @escaping @Sendable () throws -> any Registry, onHeard: @escaping @Sendable () -> Void) throws(LoopFailure) {
        (self.open, self.onHeard) = (open, onHeard)
        waker = try Waker()
        queue.async { self.run() }
    }

    // MARK: For the loop

    func ask(_ question: Question) {
        inbox.withLock { $0.question = question }
        waker.wake()
    }

    /// Notifies all nodes, if there is a connection.
    func announce(_ arrivals: [Arrival]) {
        inbox.withLock { $0.arrivals += arrivals }
        waker.wake()
    }

    func drainEvents() -> [MemberEvent] { inbox.withLock { exchange(&$0.events, with: []) } }

    /// Why the registry does not answer; nil if it does.
    var failure: String? { inbox.withLock { $0.failure } }

    /// Gives the lease back when the process is about to end, and the loop does not continue. Returns once that is done, or after `releaseTimeout`
    /// without answer. For any thread.
    func releaseLease(of incarnation: Incarnation) {
        let question = Question(number: .max, request: .leave(incarnation))
        inbox.withLock { $0.lastQuestion = question }
        ask(question)
        _ = leaseReleased.wait(timeout: .now() + Self.releaseTimeout)
    }

    /// Returns once the thread's work is done. The store's connections are cancelled before, so that an answer is not waited for.
    func finish() {
        inbox.withLock { $0.isClosing = true }
        waker.wake()
        queue.sync {}
    }

    // MARK: On the queue

    private var isClosing: Bool { inbox.withLock { $0.isClosing } }

    private func run() {
        while !isClosing {
            do {
                let registry = try open()
                defer { registry.close() }
                work(registry)
            } catch {
                inbox.withLock { $0.failure = "\(error)" }
                answerFailed()
                if !isClosing { waker.wait(atMost: Self.retryMilliseconds) }
            }
        }
    }

    /// Works on one connection, until it fails or the end has come.
    private func work(_ registry: any Registry) {
        while !isClosing {
            announceServing(registry)
            if let question = inbox.withLock({ $0.question }) {
                guard mayAsk(question) else {
                    deliver(.answered(question.number, .failed), answering: question)
                    continue
                }
                let answer = registry.ask(question.request)
                inbox.withLock { $0.failure = answer == .failed ? registry.failure : nil }
                deliver(.answered(question.number, answer), answering: question)
                if answer == .failed { return }
            } else {
                guard let notices = registry.notices(orUntil: waker.descriptor, atMost: -1) else {
                    return inbox.withLock { $0.hasLostConnection = true }
                }
                waker.clear()
                for notice in notices { deliver(notice) }
            }
        }
    }

    /// Returns false for the first question after the end of a connection: the database may have gone back in time, and the question may hand over
    /// shards with rows that their logs lack. The last question hands over nothing.
    private func mayAsk(_ question: Question) -> Bool {
        inbox.withLock { !$0.hasLostConnection || question == $0.lastQuestion }
    }

    private func announceServing(_ registry: any Registry) {
        let arrivals = inbox.withLock { exchange(&$0.arrivals, with: []) }
        if !arrivals.isEmpty { registry.announce(arrivals) }
    }

    /// A question that finds no connection is answered all the same.
    private func answerFailed() {
        guard let question = inbox.withLock({ $0.question }) else { return }
        deliver(.answered(question.number, .failed), answering: question)
    }

    private func deliver(_ event: MemberEvent, answering question: Question? = nil) {
        inbox.withLock { inbox in
            inbox.events.append(event)
            guard let question else { return }
            inbox.hasLostConnection = false
            if inbox.question == question { inbox.question = nil }
        }
        onHeard()
        if let question, question == inbox.withLock({ $0.lastQuestion }) { leaseReleased.signal() }
    }
}
