// An answer that comes later: to an event that waits for a hook, or of work that is done off the loop.

import GameFlow
import Memory
import RESP
import Sessions

/// An answer that is due when what it waits for is done, or the sender's patience ends.
final class PendingAnswer {
    private enum Result {
        case simple(String)
        case verbatim(String)
        case error(CommandError)
    }

    /// Owns this, in its pending reply.
    private let client: Borrowed<Client>
    /// Ends the waiting when it is over; released with it.
    private var deadline: AnyObject?
    private var result: Result?

    fileprivate init(of client: Client) {
        self.client = Borrowed(client)
    }

    /// Whether it has come.
    var isHere: Bool { result != nil }

    func write(to reply: ReplyBuffer) {
        switch result {
        case .simple(let state): reply.append(simple: state)
        case .verbatim(let text): reply.append(verbatim: text)
        case .error(let error): reply.append(error: error.code, error.sentence)
        case nil: preconditionFailure("an answer is written when it has come")
        }
    }

    private func come(_ result: Result) {
        deadline = nil
        self.result = result
        client.object.answerHasCome()
    }

    // MARK: Events that wait for a hook

    /// Withdraws the event if it is not decided in time.
    fileprivate func limit(_ receipt: EventReceipt, of machine: AnyMachine, _ milliseconds: Int, by turns: (any TurnBudget)?) {
        deadline = turns?.call(after: milliseconds) { [weak machine] in machine?.withdraw(receipt, after: milliseconds) }
    }

    fileprivate func come(_ decision: Swift.Result<Outcome, Refusal>, about machine: AnyMachine?) {
        switch decision {
        case .success: come(.simple(machine?.stateName ?? ""))
        case .failure(let refusal): come(.error(CommandError(refusal.code, refusal.description)))
        }
    }

    // MARK: Texts

    fileprivate func come(_ text: Swift.Result<String, CommandError>) {
        switch text {
        case .success(let text): come(.verbatim(text))
        case .failure(let error): come(.error(error))
        }
    }
}

extension Call {
    /// Answers once the event is decided that `machine` has just been sent.
    func answerLater(_ machine: AnyMachine, _ outcome: Outcome) {
        let answer = PendingAnswer(of: client)
        let receipt = EventReceipt(of: eventID) { [weak answer, weak machine, eventID] decision in
            if let eventID { machine?.decide(eventID, decision) }
            answer?.come(decision, about: machine)
        }
        eventID = nil
        machine.tell(receipt, ofEventThatIs: outcome)
        answer.limit(receipt, of: machine, host.limits.hookMilliseconds, by: host.turns)
        client.wait(for: answer)
    }

    /// Answers with the text that `work` hands over, at once or later. A client that is gone by then is not told.
    func answerLater(_ work: (@escaping (Result<String, CommandError>) -> Void) -> Void) {
        let answer = PendingAnswer(of: client)
        work { [weak answer] in answer?.come($0) }
        client.wait(for: answer)
    }
}
