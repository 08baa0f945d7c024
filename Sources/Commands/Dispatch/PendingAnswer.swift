// The reply to an event that waits for a hook.

import GameFlow
import Memory
import RESP
import Sessions

/// A reply that is due when a hook has decided about its event, or the sender's patience ends. Its client's later requests wait for it, as
/// the order of replies demands; nobody else does.
final class PendingAnswer {
    /// Owns this.
    private let client: Borrowed<Client>
    private weak var machine: AnyMachine?
    /// Ends the waiting when it is over; released with it.
    private var deadline: AnyObject?

    fileprivate init(of client: Client, about machine: AnyMachine) {
        self.client = Borrowed(client)
        self.machine = machine
    }

    /// Withdraws the event if it is not decided in time.
    fileprivate func limit(_ receipt: EventReceipt, _ milliseconds: Int, by turns: (any TurnBudget)?) {
        deadline = turns?.call(after: milliseconds) { [weak machine] in machine?.withdraw(receipt, after: milliseconds) }
    }

    fileprivate func come(_ result: Result<Outcome, Refusal>) {
        deadline = nil
        client.object.answer { reply in
            switch result {
            case .success: machine.map { reply.append(simple: $0.stateName) }
            case .failure(let refusal): reply.append(error: refusal.code, refusal.description)
            }
        }
    }
}

extension Call {
    /// Replies once the event is decided that `machine` has just been sent.
    func answerLater(_ machine: AnyMachine, _ outcome: Outcome) {
        let answer = PendingAnswer(of: client, about: machine)
        let receipt = EventReceipt { [weak answer] in answer?.come($0) }
        machine.tell(receipt, ofEventThatIs: outcome)
        answer.limit(receipt, host.limits.hookMilliseconds, by: host.turns)
        client.wait(for: answer)
    }
}
