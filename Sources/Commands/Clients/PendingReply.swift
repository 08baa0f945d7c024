// A reply that must wait for answers: of one command, or of EXEC with some among its commands.

import RESP

/// The pieces of one reply, in order. Its client's later requests wait for it, as the order of replies demands; other clients do not wait.
final class PendingReply: AnswerReceiver {
    enum Piece {
        case bytes([UInt8])
        case answer(any PendingPart)
    }

    private let pieces: [Piece]
    /// Owns this while it waits.
    private unowned let client: Client

    init(_ pieces: [Piece], of client: Client) {
        (self.pieces, self.client) = (pieces, client)
        for case .answer(let answer) in pieces { answer.receiver = self }
    }

    /// Whether all answers have come.
    var isComplete: Bool {
        pieces.allSatisfy { piece in
            switch piece {
            case .bytes: true
            case .answer(let answer): answer.isComplete
            }
        }
    }

    func write(to reply: ReplyBuffer) {
        for piece in pieces {
            switch piece {
            case .bytes(let bytes): bytes.withUnsafeBytes { reply.append(preencoded: $0) }
            case .answer(let answer): answer.write(to: reply)
            }
        }
    }

    func answerHasCome() {
        guard isComplete else { return }
        client.answer(by: self, write)
    }
}

extension Client {
    /// The answer comes later: in EXEC's reply where this command's stands, otherwise as the reply itself.
    func wait(for answer: any PendingPart) {
        if isExecuting { return answersInExecution.append((output.count, answer)) }
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
    }

    private func wait(for reply: PendingReply) {
        if reply.isComplete { reply.write(to: output) } else { wait(forReplyBy: reply) }
    }
}
