import Glibc

/// Why a standard stream could not be read or written, in a sentence.
package struct StreamError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Operation: String, Sendable {
        case read = "cannot read"
        case write = "cannot write to"
    }

    private let deed: Operation
    private let stream: String
    private let number: Int32

    package init(_ deed: Operation, _ stream: String, _ number: Int32) {
        (self.deed, self.stream, self.number) = (deed, stream, number)
    }

    /// Whether the reader has closed the pipe, which is no failure to report.
    package var isReaderGone: Bool { number == EPIPE }

    package var description: String { "\(deed.rawValue) \(stream): \(systemErrorText(number))" }
}
