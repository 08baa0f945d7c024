import Texts

/// Why a command was not carried out: a code for programs, a sentence for people.
package struct CommandError: Error, CustomStringConvertible {
    package let code: ErrorCode
    package let sentence: String

    /// A long sentence is cut.
    package init(_ code: ErrorCode, _ sentence: String) {
        self.code = code
        self.sentence = sentence.cut(to: ReplyBuffer.longestError)
    }

    package var description: String { "\(code) \(sentence)" }
}
