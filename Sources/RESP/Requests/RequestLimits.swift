// The limits on a request.

public struct RequestLimits: Equatable, Sendable {
    /// The longest line, in bytes: an inline request, or the line of a count or a length.
    public static let line = 64 * 1024
    /// The limits before authentication.
    public static let strangersArguments = 10
    public static let strangersBulk = 16 * 1024

    /// Whether the client has authenticated, or need not.
    public var isAuthenticated: Bool
    /// The most arguments of one request.
    public var arguments: Int
    /// The longest argument, in bytes.
    public var bulk: Int

    public static let authenticated = RequestLimits(isAuthenticated: true)
    public static let unauthenticated = RequestLimits(isAuthenticated: false)

    public init(isAuthenticated: Bool, arguments: Int = 1024 * 1024, bulk: Int = 512 * 1024 * 1024) {
        self.isAuthenticated = isAuthenticated
        self.arguments = arguments
        self.bulk = bulk
    }

    func check(argumentCount count: Int?) throws(RequestError) -> Int {
        guard let count, count <= arguments else { throw .invalidArgumentCount }
        guard isAuthenticated || count <= Self.strangersArguments else { throw .strangersArgumentCount }
        return count
    }

    func check(bulkLength length: Int?) throws(RequestError) -> Int {
        guard let length, length >= 0, length <= bulk else { throw .invalidBulkLength }
        guard isAuthenticated || length <= Self.strangersBulk else { throw .strangersBulkLength }
        return length
    }
}
