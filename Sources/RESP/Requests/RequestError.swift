// Why the bytes of a client cannot be a request. Where the next one would begin is unknown then, so the connection must close.

/// What is wrong, in Redis' own words; the caller writes `-ERR Protocol error: ` before them.
public enum RequestError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A line that goes on and on.
    case endlessLine
    case endlessArgumentCount
    case endlessBulkLength
    /// Not a number, or more than the limit.
    case invalidArgumentCount
    case invalidBulkLength
    /// More than is taken from someone who has not said who it is.
    case strangersArgumentCount
    case strangersBulkLength
    /// An argument that does not begin with a dollar.
    case expectedBulk(got: UInt8)
    /// A quote that is not closed, or is closed in the middle of a word.
    case unbalancedQuotes

    public var description: String {
        switch self {
        case .endlessLine: "too big inline request"
        case .endlessArgumentCount: "too big mbulk count string"
        case .endlessBulkLength: "too big bulk count string"
        case .invalidArgumentCount: "invalid multibulk length"
        case .invalidBulkLength: "invalid bulk length"
        case .strangersArgumentCount: "unauthenticated multibulk length"
        case .strangersBulkLength: "unauthenticated bulk length"
        case .expectedBulk(let byte): "expected '$', got '\(Character(UnicodeScalar(byte)))'"
        case .unbalancedQuotes: "unbalanced quotes in request"
        }
    }
}
