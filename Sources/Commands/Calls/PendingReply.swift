// A reply that must wait for answers: of one command, or of EXEC with some among its commands.

import GameFlow
import RESP

/// The pieces of one reply, in order. Its client's later requests wait for it, as the order of replies demands; other clients do not wait.
final class PendingReply: ReplyReceiver {
    enum Piece {
        case bytes([UInt8])
        case answer(any PendingPart)
    }

    private let pieces: [Piece]
    /// The bytes of the pieces that have come.
    let count: Int
    /// Owns this while it waits.
    private unowned let client: Client

    init(_ pieces: [Piece], of client: Client) {
        (self.pieces, self.client) = (pieces, client)
        count = pieces.reduce(0) { if case .bytes(let bytes) = $1 { $0 + bytes.count } else { $0 } }
        for case .answer(let answer) in pieces { answer.receiver = self }
    }

    /// Whether all answers have come.
    var isComplete: Bool {
        pieces.allSatisfy { if case .answer(let answer) = $0 { answer.isComplete } else { true } }
    }

    func write(to reply: ReplyBuffer) {
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): bytes.withUnsafeBytes { reply.append(preencoded: $0) }
            case .answer(let answer): answer.write(to: reply)
            }
        }
    }

    func didCompleteReply() {
        guard isComplete else { return }
        client.answer(by: self, write)
    }
}

extension Client {
    /// The answer comes later: in EXEC's reply where this command's stands, otherwise as the reply itself.
    func wait(for answer: any PendingPart) {
        if isExecuting {
            // An answer that has come counts against the bounds of EXEC.
            return answer.isComplete ? answer.write(to: output) : answersInExecution.append((output.count, answer))
        }
        wait(for: PendingReply([.answer(answer)], of: self))
    }

    /// Called when EXEC is done. Its reply begins at `start`; nil if that is dropped. If answers are missing in the reply, all of it waits for them.
    /// The bytes behind its header have moved by `distance` since the answers' places were recorded.
    func waitForAnswersInExecution(_ start: Int?, movedBy distance: Int) {
        let answers = answersInExecution
        answersInExecution = []
        guard let start, !answers.isEmpty else { return }
        var (pieces, place): ([PendingReply.Piece], Int) = ([], start)
        let bytes = [UInt8](output.unsent)
        for (offset, answer) in answers {
            pieces += [.bytes(Array(bytes[place..<offset + distance])), .answer(answer)]
            place = offset + distance
        }
        pieces.append(.bytes(Array(bytes[place...])))
        output.removeLast(output.count - start)
        wait(for: PendingReply(pieces, of: self))
        hasDeferredExecution = waits
    }

    private func wait(for reply: PendingReply) {
        if reply.isComplete { return reply.write(to: output) }
        wait(forReplyBy: reply, holding: reply.count)
    }
}

// MARK: - Answers that come later: to an event that waits for a hook, or to work done off the loop or over several turns.

/// Notified when the answer that it waits for has come.
protocol ReplyReceiver: AnyObject {
    func didCompleteReply()
}

/// A part of a reply that may still be missing.
protocol PendingPart: AnyObject {
    var isComplete: Bool { get }
    var receiver: (any ReplyReceiver)? { get set }
    func write(to reply: ReplyBuffer)
}

/// An answer that comes when its work is done.
package final class PendingValue<Value: ReplyValue>: PendingPart {
    private(set) var result: Result<Value, CommandError>?
    /// Owns this.
    weak var receiver: (any ReplyReceiver)?

    init() {}

    /// Begins work that hands over the answer, at once or later. Has no effect if the client is gone by then.
    init(of work: (@escaping (Result<Value, CommandError>) -> Void) -> Void) {
        work { [weak self] in self?.complete(with: $0) }
    }

    var isComplete: Bool { result != nil }

    func write(to reply: ReplyBuffer) {
        switch result {
        case .success(let value): value.write(to: reply)
        case .failure(let error): reply.append(error: error.code, error.sentence)
        case nil: preconditionFailure("an answer is written when it has come")
        }
    }

    func complete(with result: Result<Value, CommandError>) {
        self.result = result
        receiver?.didCompleteReply()
    }
}

/// Hands one answer to a caller within the process.
final class AnswerHandler<Value: ReplyValue>: ReplyReceiver {
    private let answer: PendingValue<Value>
    /// Owns this while it waits.
    private unowned let client: Client
    private let then: (Result<Value, CommandError>) -> Void

    init(_ answer: PendingValue<Value>, for client: Client, _ then: @escaping (Result<Value, CommandError>) -> Void) {
        (self.answer, self.client, self.then) = (answer, client, then)
        answer.receiver = self
    }

    func didCompleteReply() {
        guard let result = answer.result else { return }
        client.endWaiting(forReplyBy: self)
        then(result)
    }
}
