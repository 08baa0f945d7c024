// Answers that come later: to an event that waits for a hook, or to work done off the loop or over several turns.

import GameFlow
import Memory
import RESP
import Sessions

/// Notified when the answer that it waits for has come.
protocol AnswerReceiver: AnyObject {
    func answerHasCome()
}

/// A part of a reply that may still be missing.
protocol PendingPart: AnyObject {
    var isComplete: Bool { get }
    var receiver: (any AnswerReceiver)? { get set }
    func write(to reply: some ReplyWriter)
}

/// An answer that comes when its work is done, or when the limit of waiting has passed.
package final class PendingAnswer<Value: ReplyValue>: PendingPart {
    /// Ends the waiting; released with it.
    private var deadline: AnyObject?
    private(set) var result: Result<Value, CommandError>?
    /// Owns this.
    weak var receiver: (any AnswerReceiver)?

    init() {}

    /// Begins work that hands over the answer, at once or later. Has no effect if the client is gone by then.
    init(of work: (@escaping (Result<Value, CommandError>) -> Void) -> Void) {
        work { [weak self] in self?.complete(with: $0) }
    }

    var isComplete: Bool { result != nil }

    func write(to reply: some ReplyWriter) {
        switch result {
        case .success(let value): value.write(to: reply)
        case .failure(let error): reply.append(error: error.code, error.sentence)
        case nil: preconditionFailure("an answer is written when it has come")
        }
    }

    func complete(with result: Result<Value, CommandError>) {
        deadline = nil
        self.result = result
        receiver?.answerHasCome()
    }

    /// Withdraws an event that waits for a hook if it is not decided in time.
    func limit(_ receipt: EventReceipt, of machine: AnyMachine, _ milliseconds: Int, by turns: (any TurnBudget)?) {
        deadline = turns?.schedule(after: milliseconds) { [weak machine] in machine?.withdraw(receipt, after: milliseconds) }
    }
}

/// Hands one answer to a caller within the process.
final class AnswerHandler<Value: ReplyValue>: AnswerReceiver {
    private let answer: PendingAnswer<Value>
    /// Owns this while it waits.
    private unowned let client: Client
    private let then: (Result<Value, CommandError>) -> Void

    init(_ answer: PendingAnswer<Value>, for client: Client, _ then: @escaping (Result<Value, CommandError>) -> Void) {
        (self.answer, self.client, self.then) = (answer, client, then)
        answer.receiver = self
    }

    func answerHasCome() {
        guard let result = answer.result else { return }
        client.endWaiting(forReplyBy: self)
        then(result)
    }
}
