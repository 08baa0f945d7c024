// What has been come upon at the start that its operator should know of, though it goes on.

/// A sentence for the operator.
package struct Finding: Sendable {
    package let sentence: String
    /// Whether something is lost.
    package let isLoss: Bool

    package init(sentence: String, isLoss: Bool) {
        self.sentence = sentence
        self.isLoss = isLoss
    }
}
