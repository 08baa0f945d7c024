// The thread that asks the registry, with connections that the test ends.

import Cluster
import Dispatch
import Glibc
import Synchronization
import Testing

@testable import ClusterRuntime

/// Answers every question with `left`. Its first connection ends as soon as `ends` is signalled.
private final class EndingRegistry: Registry, Sendable {
    final class Journal: Sendable {
        let asked = Mutex<[Request]>([])
        let isListening = DispatchSemaphore(value: 0)
        let ends = DispatchSemaphore(value: 0)
        let isOpened = Atomic(false)
    }

    private let journal: Journal
    private let isFirst: Bool

    init(_ journal: Journal) {
        self.journal = journal
        isFirst = !journal.isOpened.exchange(true, ordering: .relaxed)
    }

    var failure: String? { nil }

    func ask(_ request: Request) -> Answer {
        journal.asked.withLock { $0.append(request) }
        return .left
    }

    func announce(_ arrivals: [Arrival]) {}

    func notices(orUntil waker: Int32, atMost milliseconds: Int32) -> [MemberEvent]? {
        if isFirst {
            journal.isListening.signal()
            journal.ends.wait()
            return nil
        }
        var waiting = pollfd(fd: waker, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, milliseconds)
        return []
    }

    func close() {}
}

@Suite struct `The thread that asks the registry` {
    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func `The first question after the end of a connection fails without being asked`(isPending: Bool) throws {
        let (journal, heard) = (EndingRegistry.Journal(), DispatchSemaphore(value: 0))
        let thread = try RegistryThread({ EndingRegistry(journal) }) { heard.signal() }
        defer { thread.finish() }
        let questions = (1...2).map { Question(number: $0, request: .leave(Incarnation(Int64($0)))) }

        journal.isListening.wait()
        if !isPending { journal.ends.signal() }
        thread.ask(questions[0])
        if isPending { journal.ends.signal() }
        heard.wait()
        #expect(thread.drainEvents() == [.answered(1, .failed)])
        thread.ask(questions[1])
        heard.wait()
        #expect(thread.drainEvents() == [.answered(2, .left)])
        #expect(journal.asked.withLock { $0 } == [questions[1].request])
    }
}
