import Texts

/// Why a command was not carried out: a code for programs, a sentence for people.
package struct CommandError: Error, CustomStringConvertible {
    package let code: ErrorCode
    package let sentence: String

    /// The reply that says it, where it has been written already.
    package let encoded: EncodedReply?

    /// Facts of a refused event; nil for any other error.
    package private(set) var facts: RefusedEventFacts?

    /// Bytes at the sentence's end that only an administrator of the daemon can follow.
    private let adviceLength: Int

    /// A long sentence is cut. `advice` is for administrators.
    package init(_ code: ErrorCode, _ sentence: String, advice: String = "") {
        self.code = code
        let whole = sentence + advice
        self.sentence = whole.cut(to: ReplyBuffer.maxErrorLength)
        adviceLength = self.sentence.utf8.count == whole.utf8.count ? advice.utf8.count : 0
        encoded = nil
    }

    /// The refusal of an event.
    package init(_ code: ErrorCode, _ sentence: String, _ facts: RefusedEventFacts?) {
        self.init(code, sentence)
        self.facts = facts
    }

    /// One that is thrown many times.
    package init(encoded code: ErrorCode, _ sentence: String, _ facts: RefusedEventFacts) {
        self.code = code
        self.facts = facts
        self.sentence = sentence.cut(to: ReplyBuffer.maxErrorLength)
        adviceLength = 0
        encoded = EncodedReply(error: code, sentence)
    }

    /// The sentence for clients that cannot change the daemon.
    package var sentenceWithoutAdvice: String {
        guard adviceLength > 0 else { return sentence }
        let rest = String(decoding: sentence.utf8.dropLast(adviceLength), as: UTF8.self)
        return rest + "; the daemon's operator can change this limit"
    }

    /// The slot of a MOVED reply; its text is `SLOT HOST:PORT` in Redis' protocol. Nil for any other reply.
    package var movedSlot: Int? {
        code == .moved ? sentence.split(separator: " ", maxSplits: 1).first.flatMap { Int($0) } : nil
    }

    package var description: String { "\(code) \(sentence)" }
}

/// Facts of a refused event, for programs: they are in the error's sentence, too.
package final class RefusedEventFacts: Sendable {
    /// The events that its sender could have sent in its place; nil if that is not known.
    package let accepted: [String]?
    /// The timer that has just moved the session to its state.
    package let timer: String?

    package init(accepted: [String]?, timer: String?) { (self.accepted, self.timer) = (accepted, timer) }
}
