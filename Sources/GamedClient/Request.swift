// A request that waits for its reply, and the queue of all of them.

import RESP
import Texts

/// The reply to a request, and what is known of earlier attempts.
struct NodeReply: Sendable {
    let reply: Reply
    /// Whether the request was sent earlier, over a connection that was lost before the reply: then it may have been accepted there.
    let mayBeAccepted: Bool

    /// The reply's error; of a transaction that may have been executed before, BUSY if an event of it still waits to be decided.
    var error: (code: ErrorCode, message: String)? {
        switch reply {
        case .error(let code, let message): (code, message)
        case .array(let replies) where mayBeAccepted: replies.lazy.compactMap(\.busyError).first
        default: nil
        }
    }
}

extension Reply {
    fileprivate var busyError: (code: ErrorCode, message: String)? {
        if case .error(.busy, let message) = self { (.busy, message) } else { nil }
    }
}

/// One request. Only for its client's actor.
final class Request {
    let number: Int
    /// Its commands, each with its own reply: one, or those of a transaction from MULTI to EXEC.
    let commands: [[String]]
    /// Whether it does no harm to send it twice: it reads, or it has an id.
    let isRepeatable: Bool
    /// Whether it comes before those that wait for a subscription's position.
    let isUrgent: Bool
    /// When the wait for its reply ends; nil for a part of another request's wait.
    let deadline: ContinuousClock.Instant?
    /// Called once, and then nil: a reply and a lost connection may both want to call it.
    private var onReply: ((Result<NodeReply, any Error>) -> Void)?
    private var repliesToCome = 0
    /// Whether it was sent over any connection: then it may have been accepted, also while it waits for the next one.
    private(set) var wasSent: Bool
    private var mayBeAccepted: Bool
    /// The reason why a transaction is not executed.
    private(set) var firstError: Reply?

    init(
        _ number: Int, _ commands: [[String]], isRepeatable: Bool, isUrgent: Bool = false, wasSent: Bool = false,
        until deadline: ContinuousClock.Instant? = nil, _ onReply: @escaping (Result<NodeReply, any Error>) -> Void
    ) {
        (self.number, self.commands, self.isRepeatable, self.isUrgent) = (number, commands, isRepeatable, isUrgent)
        (self.deadline, self.onReply) = (deadline, onReply)
        (self.wasSent, mayBeAccepted) = (wasSent, wasSent)
    }

    var session: String? { commands.session }

    /// It is sent, for the first time or again.
    func expectReplies() {
        (repliesToCome, firstError, mayBeAccepted) = (commands.count, nil, wasSent)
        wasSent = true
    }

    /// The request's reply, once this is the last one of its commands'.
    func reply(completedBy reply: Reply) -> Reply? {
        repliesToCome -= 1
        guard case .error = reply else { return repliesToCome > 0 ? nil : reply }
        guard repliesToCome == 0 else {
            firstError = firstError ?? reply
            return nil
        }
        return firstError ?? reply
    }

    /// Whether the reply is still awaited.
    var isAwaited: Bool { onReply != nil }

    func isOverdue(at now: ContinuousClock.Instant) -> Bool { isAwaited && deadline.map { $0 <= now } ?? false }

    func complete(with result: Result<Reply, any Error>) {
        onReply?(result.map { NodeReply(reply: $0, mayBeAccepted: mayBeAccepted) })
        onReply = nil
    }
}

extension [[String]] {
    /// The session that they are for; nil if any node answers. MULTI names none.
    var session: String? { first { $0.count > 1 }?[1] }
}

/// Requests that wait, and those that were sent, each in order. Replies come in the order of sending.
struct RequestQueue {
    /// At most this many commands are repeated after a lost connection: by default a session remembers 64 ids.
    static let maxSent = 32

    private var waiting: [Request] = []
    private var sent: [Request] = []

    var isEmpty: Bool { waiting.isEmpty && !sent.contains(where: \.isAwaited) }

    /// Those that are urgent come first.
    mutating func append(_ request: Request) {
        let place = request.isUrgent ? waiting.firstIndex { !$0.isUrgent } : nil
        waiting.insert(request, at: place ?? waiting.endIndex)
    }

    /// The request was sent outside the order of those that wait.
    mutating func appendSent(_ request: Request) {
        request.expectReplies()
        sent.append(request)
    }

    /// The requests to send now. Those that are blocked wait on. Of thousands that wait, it looks only at those before the first without room.
    mutating func takeNext(isBlocked: (Request) -> Bool) -> [Request] {
        var (taken, room) = ([Int](), Self.maxSent - sent.reduce(0) { $0 + $1.commands.count })
        for index in waiting.indices where waiting[index].isUrgent || !isBlocked(waiting[index]) {
            room -= waiting[index].commands.count
            // Those behind it wait, too, or they would take every place that becomes free.
            guard room >= 0 else { break }
            taken.append(index)
        }
        let next = taken.map { waiting[$0] }
        for index in taken.reversed() { waiting.remove(at: index) }
        for request in next { request.expectReplies() }
        sent += next
        return next
    }

    /// Whether the push is the reply to the oldest request.
    func awaitsPush(_ parts: [Reply]) -> Bool {
        guard parts.count > 1, let words = sent.first?.commands[0], words.count > 1 else { return false }
        return parts[0].text == words[0].lowercased() && parts[1].text == words[1]
    }

    /// The oldest request and its reply, if that is complete with this one.
    mutating func takeAnswered(by reply: Reply) -> (request: Request, reply: Reply)? {
        guard let request = sent.first, let whole = request.reply(completedBy: reply) else { return nil }
        return (sent.removeFirst(), whole)
    }

    /// The deadline that comes first; nil if no reply with a deadline is awaited.
    var firstDeadline: ContinuousClock.Instant? {
        (sent.lazy.filter(\.isAwaited).compactMap(\.deadline) + waiting.lazy.compactMap(\.deadline)).min()
    }

    /// Completes the requests with a deadline that has passed. Those that were sent stay until their replies have come.
    mutating func endOverdue(at now: ContinuousClock.Instant, with error: (_ wasSent: Bool) -> any Error) {
        let overdue = (sent + waiting).filter { $0.isOverdue(at: now) }
        waiting.removeAll { $0.isOverdue(at: now) }
        for request in overdue { request.complete(with: .failure(error(request.wasSent))) }
    }

    /// Completes a request early. One that was sent stays until its reply has come.
    mutating func end(_ number: Int, with error: (_ wasSent: Bool) -> any Error) {
        let place = waiting.firstIndex { $0.number == number }
        guard let request = place.map({ waiting.remove(at: $0) }) ?? sent.first(where: { $0.number == number }) else { return }
        request.complete(with: .failure(error(request.wasSent)))
    }

    /// The connection is lost: what can be repeated waits for the next one, before all that was not sent. The others may or may not have been handled.
    mutating func requeueSent(otherwise error: any Error) {
        // The connection may have been lost because of a command with an error: it would be lost again.
        for request in sent { request.firstError.map { request.complete(with: .success($0)) } }
        let repeated = sent.filter { $0.isAwaited && $0.isRepeatable }
        for request in sent where !request.isRepeatable { request.complete(with: .failure(error)) }
        waiting = repeated + waiting
        sent = []
    }

    mutating func failAll(with error: (_ wasSent: Bool) -> any Error) {
        let all = sent + waiting
        (sent, waiting) = ([], [])
        for request in all { request.complete(with: .failure(error(request.wasSent))) }
    }
}
