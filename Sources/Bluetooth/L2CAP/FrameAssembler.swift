// Reassembles the frames of all connections from their fragments.

/// A frame of L2CAP, the layer that shares one connection among channels.
struct L2CAPFrame: Equatable {
    private static let headerLength = 4
    /// The channel of ATT over Low Energy, where attributes are read, written and notified.
    static let attributeChannel: UInt16 = 4

    let channel: UInt16
    let payload: ArraySlice<UInt8>

    var serialized: [UInt8] { UInt16(clamping: payload.count).bytes + channel.bytes + payload }
}

extension L2CAPFrame {
    /// From the bytes of exactly one frame.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let length = reader.number(UInt16.self), let channel = reader.number(UInt16.self),
            reader.rest.count == length
        else { return nil }
        self.init(channel: channel, payload: reader.rest)
    }

    /// Of a frame that begins with these bytes; nil until its header is complete.
    static func length(beginningWith bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= headerLength else { return nil }
        var reader = ByteReader(bytes)
        return reader.number(UInt16.self).map { headerLength + Int($0) }
    }
}

/// Keeps the beginning of one frame for each connection: their fragments may come in any order.
struct FrameAssembler: Sendable {
    /// The longest frame that is kept while incomplete. An attribute has at most 512 bytes; a frame of several fits too.
    static let maxLength = 4_096
    /// The most incomplete frames at once; beyond that, an old one is dropped.
    static let maxFrames = 128

    /// The beginning of each incomplete frame, perhaps less than its header.
    private var collected = BoundedTable<ConnectionID, [UInt8]>(capacity: maxFrames)

    /// The frame that this fragment completes, if any. One with surplus bytes is dropped: which of them are wrong is unknown.
    mutating func receive(_ fragment: ACLFragment, of connection: ConnectionID) -> L2CAPFrame? {
        let beginning = collected.remove(connection)
        // The rest of a frame without its beginning is dropped: it was too long, or the recorder has lost a part.
        guard !fragment.isTruncated, beginning != nil || !fragment.isContinuation else { return nil }
        let bytes = fragment.isContinuation ? (beginning ?? []) + fragment.bytes : Array(fragment.bytes)
        let length = L2CAPFrame.length(beginningWith: bytes[...])
        if let length, bytes.count >= length { return L2CAPFrame(bytes[...]) }
        if (length ?? 0) <= Self.maxLength { collected.insert(connection, bytes) }
        return nil
    }

    /// Drops what a closed connection left incomplete.
    mutating func forget(_ connection: ConnectionID) {
        collected.remove(connection)
    }

    mutating func forgetAll(of adapter: UInt16) {
        for connection in collected.contents.map(\.key) where connection.adapter == adapter { forget(connection) }
    }

    /// The memory that incomplete frames take, in bytes.
    var footprint: Int {
        collected.contents.reduce(0) { $0 + MemoryLayout<(ConnectionID, [UInt8])>.stride + $1.value.count }
    }
}
