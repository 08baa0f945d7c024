// Reassembles the frames of all connections.

/// Keeps one assembly for each connection and direction: their fragments may come in any order.
struct FrameAssembler: Sendable {
    /// The most incomplete frames at once; beyond that, an old one is dropped.
    static let maxFrames = 128

    private struct Stream: Hashable {
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
        if assembly != .idle { assemblies[stream] = assembly }
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
