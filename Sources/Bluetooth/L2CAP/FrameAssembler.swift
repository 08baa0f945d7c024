/// A connection of one of several adapters.
struct Link: Hashable, Sendable {
    let adapter: UInt16
    let handle: ConnectionHandle
}

/// Puts frames together, each connection's and each direction's by themselves: pieces of several may come in any order.
struct FrameAssembler: Sendable {
    /// How many frames can be incomplete at once; of more, one that began early is given up.
    static let mostFrames = 128

    private struct Stream: Hashable {
        let link: Link
        let direction: PacketDirection
    }

    private var assemblies = BoundedTable<Stream, FrameAssembly>(capacity: mostFrames)

    /// The frame that this piece completes, if it completes one.
    mutating func take(_ fragment: ACLFragment, of adapter: UInt16, _ direction: PacketDirection) -> L2CAPFrame? {
        if fragment.isBroadcast { return nil }
        let stream = Stream(link: Link(adapter: adapter, handle: fragment.handle), direction: direction)
        var assembly = assemblies.remove(stream) ?? .idle
        let frame = assembly.take(fragment)
        if assembly != .idle { assemblies[stream] = assembly }
        return frame
    }

    /// The connection is gone, and what it had begun.
    mutating func forget(_ link: Link) {
        assemblies.remove(Stream(link: link, direction: .sent))
        assemblies.remove(Stream(link: link, direction: .received))
    }

    mutating func forgetAll(of adapter: UInt16) {
        for stream in assemblies.contents.map(\.key) where stream.link.adapter == adapter { assemblies.remove(stream) }
    }

    /// How much is kept of incomplete frames, in bytes.
    var footprint: Int {
        assemblies.contents.reduce(0) { $0 + MemoryLayout<(Stream, FrameAssembly)>.stride + $1.value.byteCount }
    }
}
