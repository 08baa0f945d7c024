// The answer to an event that waits for a hook.

import GameFlow
import Memory
import RESP
import Sessions

/// An answer that is due when a hook has decided about its event, or the sender's patience ends.
final class PendingAnswer {
    /// Owns this, in its pending reply.
    private let client: Borrowed<Client>
    private weak var machine: AnyMachine?
    /// Ends the waiting when it is over; released with it.
    private var deadline: AnyObject?
    private var result: Result<String, CommandError>?

    fileprivate init(of client: Client, about machine: AnyMachine) {
        self.client = Borrowed(client)
        self.machine = machine
    }

    /// Whether it has come.
    var isHere: Bool { result != nil }

    /// Withdraws the event if it is not decided in time.
    fileprivate func limit(_ receipt: EventReceipt, _ milliseconds: Int, by turns: (any TurnBudget)?) {
        deadline = turns?.call(after: milliseconds) { [weak machine] in machine?.withdraw(receipt, after: milliseconds) }
    }

    fileprivate func come(_ decision: Result<Outcome, Refusal>) {
        deadline = nil
        let machine = machine
        result = decision.map { _ in machine?.stateName ?? "" }.mapError { CommandError($0.code, $0.description) }
        client.object.answerHasCome()
    }

    func write(to reply: ReplyBuffer) {
        switch result {
        case .success(let state): reply.append(simple: state)
        case .failure(let error): reply.append(error: error.code, error.sentence)
        case nil: preconditionFailure("an answer is written when it has come")
        }
    }
}

extension Call {
    /// Answers once the event is decided that `machine` has just been sent.
    func answerLater(_ machine: AnyMachine, _ outcome: Outcome) {
        let answer = PendingAnswer(of: client, about: machine)
        let receipt = EventReceipt { [weak answer] in answer?.come($0) }
        machine.tell(receipt, ofEventThatIs: outcome)
        answer.limit(receipt, host.limits.hookMilliseconds, by: host.turns)
        client.wait(for: answer)
    }
}
