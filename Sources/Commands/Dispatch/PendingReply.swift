// A reply that must wait for answers: of one SEND, or of EXEC with some among its commands.

import RESP

/// The pieces of one reply, in order. Its client's later requests wait for it, as the order of replies demands; nobody else does.
final class PendingReply {
    enum Piece {
        case bytes([UInt8])
        case answer(PendingAnswer)
    }

    private var pieces: [Piece]

    init(_ pieces: [Piece]) {
        self.pieces = pieces
    }

    /// Whether all answers have come.
    var isComplete: Bool {
        pieces.allSatisfy { piece in
            switch piece {
            case .bytes: true
            case .answer(let answer): answer.isHere
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
}

extension Client {
    /// The answer comes later: in EXEC's reply where this command's stands, otherwise as the reply itself.
    func wait(for answer: PendingAnswer) {
        if isExecuting { return answersInExecution.append((output.count, answer)) }
        wait(forAnswersIn: PendingReply([.answer(answer)]))
    }

    /// EXEC is done, and its reply begins at `start`; nil if that is dropped. If answers are missing in it, all of it waits for them.
    /// What stands behind its header has moved since the answers' places were noted.
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
        output.takeBack(output.count - start)
        wait(forAnswersIn: PendingReply(pieces))
    }

    private func wait(forAnswersIn reply: PendingReply) {
        if reply.isComplete { reply.write(to: output) } else { wait(for: reply) }
    }

    /// An answer that it waits for has come; perhaps it was the last.
    func answerHasCome() {
        guard let reply = pending as? PendingReply, reply.isComplete else { return }
        answer(reply.write)
    }
}
