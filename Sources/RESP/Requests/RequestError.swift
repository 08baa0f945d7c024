// Why a client's bytes are not a valid request. The next request cannot be found after that, so the connection must close.

/// What is wrong, in Redis' own words; the caller writes `-ERR Protocol error: ` before them.
public enum RequestError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A line beyond the limit.
    case endlessLine
    case endlessArgumentCount
    case endlessBulkLength
    /// Not a number, or beyond the limit.
    case invalidArgumentCount
    case invalidBulkLength
    /// Beyond the limit for clients that have not authenticated.
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
        case .unbalancedQuotes:
            "unbalanced quotes in request: close each quote, leave a blank after it, and put JSON in single quotes, '{\"a\":1}'"
        }
    }
}
