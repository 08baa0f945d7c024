// Reassembles one frame. FrameAssembler decides which fragments belong together.

enum FrameAssembly: Equatable {
    /// The longest frame that is kept while incomplete. An attribute has at most 512 bytes; a frame of several fits too.
    static let maxLength = 4_096

    /// No frame has collected. A continuation without its start is dropped.
    case idle
    /// A part of a frame has come, perhaps less than its header.
    case collecting([UInt8])
    /// A frame that is too long to keep is passing; `left` bytes of it are still to come.
    case skipping(left: Int)

    /// How many bytes are kept.
    var byteCount: Int {
        switch self {
        case .collecting(let bytes): bytes.count
        case .idle, .skipping: 0
        }
    }

    /// The frame that this fragment completes, if any.
    mutating func receive(_ fragment: ACLFragment) -> L2CAPFrame? {
        if fragment.isTruncated {
            self = .idle
            return nil
        }
        switch (self, isContinuation: fragment.isContinuation) {
        case (_, isContinuation: false):
            return extend(to: fragment.bytes)
        case (.idle, isContinuation: true):
            return nil
        case (.collecting(let collected), isContinuation: true):
            return extend(to: collected + fragment.bytes)
        case (.skipping(let left), isContinuation: true):
            let rest = left - fragment.bytes.count
            self = rest > 0 ? .skipping(left: rest) : .idle
            return nil
        }
    }

    /// Takes all that has come of a frame. A frame with surplus bytes is dropped: which of them are wrong is unknown.
    private mutating func extend(to bytes: ArraySlice<UInt8>) -> L2CAPFrame? {
        guard let length = Self.frameLength(bytes) else {
            self = .collecting(Array(bytes))
            return nil
        }
        let left = length - bytes.count
        guard left > 0 else {
            self = .idle
            return L2CAPFrame(bytes)
        }
        self = length > Self.maxLength ? .skipping(left: left) : .collecting(Array(bytes))
        return nil
    }

    /// Nil until the frame's header is complete.
    private static func frameLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= L2CAPFrame.headerLength else { return nil }
        var reader = ByteReader(bytes)
        return reader.number(UInt16.self).map { L2CAPFrame.headerLength + Int($0) }
    }
}

/// A frame of L2CAP, the layer that shares one connection among channels.
struct L2CAPFrame: Equatable {
    static let headerLength = 4
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
}

// MARK: - Reassembles the frames of all connections

/// Keeps one assembly for each connection and direction: their fragments may come in any order.
struct FrameAssembler: Sendable {
    /// The most incomplete frames at once; beyond that, an old one is dropped.
    static let maxFrames = 128

    private struct Stream: Equatable {
        let connection: ConnectionID
        let direction: PacketDirection
    }

    private var assemblies = BoundedTable<Stream, FrameAssembly>(capacity: maxFrames)

    /// The frame that this fragment completes, if any.
    mutating func receive(_ fragment: ACLFragment, of adapter: UInt16, _ direction: PacketDirection) -> L2CAPFrame? {
        if fragment.isBroadcast { return nil }
        let stream = Stream(connection: ConnectionID(adapter: adapter, handle: fragment.handle), direction: direction)
        var assembly = assemblies.remove(stream) ?? .idle
        let frame = assembly.receive(fragment)
        if assembly != .idle { assemblies.insert(stream, assembly) }
        return frame
    }

    /// Drops what a closed connection left incomplete.
    mutating func forget(_ connection: ConnectionID) {
        assemblies.remove(Stream(connection: connection, direction: .sent))
        assemblies.remove(Stream(connection: connection, direction: .received))
    }

    mutating func forgetAll(of adapter: UInt16) {
        for stream in assemblies.contents.map(\.key) where stream.connection.adapter == adapter { assemblies.remove(stream) }
    }

    /// The memory that incomplete frames take, in bytes.
    var footprint: Int {
        assemblies.contents.reduce(0) { $0 + MemoryLayout<(Stream, FrameAssembly)>.stride + $1.value.byteCount }
    }
}
