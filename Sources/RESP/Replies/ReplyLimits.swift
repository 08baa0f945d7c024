// How much a client takes for a reply.

public struct ReplyLimits: Sendable {
    /// The longest line, in bytes.
    public var line = 64 * 1024
    /// The longest bulk, in bytes.
    public var bulk = 512 * 1024 * 1024
    /// The most replies within one.
    public var elements = 1024 * 1024
    /// How deep replies may be nested.
    public var depth = 32

    public init() {}
}
