// A text that a session's hooks and work keep beside its state.

/// A text that a session keeps beside its state, for its hooks and work. A daemon saves it with the session; backups, imports and moves to
/// other nodes include it. A `LiveSession` keeps it in memory. A restart of the session keeps it, a drop removes it, and an undrop restores it. Clients never see it.
public struct SessionStorage: Sendable {
    /// Bytes that a session may store.
    public static let maxBytes = 16 << 10

    /// Nothing is stored, since it would be too long.
    public struct TooLong: Error, CustomStringConvertible {
        let bytes: Int
        public var description: String { "a session stores \(SessionStorage.maxBytes) bytes at most, and these are \(bytes)" }
    }

    let read: @Sendable () async -> String?
    let write: @Sendable (String?) async -> Result<Bool, TooLong>

    /// The stored text; nil if nothing is stored.
    public var text: String? { get async { await read() } }

    /// Stores the text in place of the earlier one; nil removes that. Throws `CancellationError` if the session has left the state since the work
    /// began, and `TooLong` if the text is too long; then the earlier text stays.
    public func store(_ text: String?) async throws {
        guard try await write(text).get() else { throw CancellationError() }
    }

    static func check(_ text: String?) throws(TooLong) {
        let bytes = text?.utf8.count ?? 0
        guard bytes <= maxBytes else { throw TooLong(bytes: bytes) }
    }
}
