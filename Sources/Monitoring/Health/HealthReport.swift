import JSON

/// Whether the daemon does what it is for, and a sentence that says why.
package struct HealthReport: Equatable {
    package enum Question: String {
        case live
        case ready
    }

    package let question: Question
    package let isGood: Bool
    package let reason: String

    /// What an answer over HTTP has for a status.
    package var status: Int { isGood ? 200 : 503 }

    package var json: JSON { [question.rawValue: .bool(isGood), "reason": .string(reason)] }
}
