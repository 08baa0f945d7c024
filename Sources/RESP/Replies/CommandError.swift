import Texts

/// Why a command was not carried out: a code for programs, a sentence for people.
package struct CommandError: Error, CustomStringConvertible {
    package let code: String
    package let sentence: String

    /// A sentence that quotes too much is cut.
    package init(_ code: String, _ sentence: String) {
        self.code = code
        self.sentence = sentence.cut(to: ReplyBuffer.longestError)
    }

    package var description: String { "\(code) \(sentence)" }
}
