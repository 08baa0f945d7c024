// Findings of a start that the operator should know, although the daemon runs.

/// A sentence for the log.
package struct Finding: Sendable {
    package let sentence: String
    /// Whether data is lost.
    package let isLoss: Bool

    package init(sentence: String, isLoss: Bool) {
        self.sentence = sentence
        self.isLoss = isLoss
    }
}
