// A connection's data between host and adapter: L2CAP frames, split into fragments that the adapter can take.

/// One fragment of a frame.
struct ACLFragment: Equatable {
    /// The sizes that an adapter may take.
    static let possibleSizes = 27...65_535

    let handle: ConnectionHandle
    /// Follows another fragment of the same frame.
    let isContinuation: Bool
    /// Sent to all devices, so it belongs to no connection.
    let isBroadcast: Bool
    /// The recorder kept only a part of it.
    let isTruncated: Bool
    let bytes: ArraySlice<UInt8>

    /// Nil if its header is incomplete.
    init?(_ payload: ArraySlice<UInt8>) {
        let continuation: UInt16 = 1
        var reader = ByteReader(payload)
        guard let handleAndFlags = reader.number(UInt16.self), let length = reader.number(UInt16.self) else { return nil }
        handle = ConnectionHandle(rawValue: handleAndFlags)
        isContinuation = handleAndFlags >> 12 & 3 == continuation
        isBroadcast = handleAndFlags >> 14 != 0
        bytes = reader.rest.prefix(Int(length))
        isTruncated = bytes.count < length
    }
}
