// Lists of slots that only grow at the end and are read piece by piece: the content of the wheel's buckets.

/// A part of a list: 256 bytes of memory, aligned to 256, so that a list grows without copying, and the address after
/// the last slot tells that a piece is full.
struct SlotPiece {
    fileprivate static let byteCount = 256
    static let capacity = (byteCount - 8) / MemoryLayout<UInt32>.stride

    /// The next piece of the list, or of the pool's free ones. Its slots follow in memory.
    fileprivate var next: UnsafeMutablePointer<SlotPiece>?
}

extension UnsafeMutablePointer<SlotPiece> {
    fileprivate var slots: UnsafeMutablePointer<UInt32> {
        (UnsafeMutableRawPointer(self) + 8).assumingMemoryBound(to: UInt32.self)
    }
}

/// A list of slots, in pieces that a pool owns.
struct SlotList {
    private var first: UnsafeMutablePointer<SlotPiece>?
    /// Where the next slot goes; at a piece's boundary there is no room.
    private var end: UInt = 0

    var hasRoom: Bool { end % UInt(SlotPiece.byteCount) != 0 }

    /// Requires room.
    mutating func append(_ slot: UInt32) {
        UnsafeMutablePointer<UInt32>(bitPattern: end).unsafelyUnwrapped.pointee = slot
        end &+= UInt(MemoryLayout<UInt32>.stride)
    }

    /// Removes the first piece: its slots, and the piece, which the caller gives back once it has read them.
    mutating func removeFirst() -> (slots: UnsafeBufferPointer<UInt32>, piece: UnsafeMutablePointer<SlotPiece>)? {
        guard let piece = first else { return nil }
        let slots = firstSlots
        if hasOnePiece { self = SlotList() } else { first = piece.pointee.next }
        return (slots, piece)
    }

    /// The slots of the first piece.
    var firstSlots: UnsafeBufferPointer<UInt32> {
        guard let slots = first?.slots else { return UnsafeBufferPointer(start: nil, count: 0) }
        guard hasOnePiece else { return UnsafeBufferPointer(start: slots, count: SlotPiece.capacity) }
        return UnsafeBufferPointer(start: slots, count: Int(end - UInt(bitPattern: slots)) / MemoryLayout<UInt32>.stride)
    }

    var hasOnePiece: Bool { UInt(bitPattern: first) == lastAddress }

    private var lastAddress: UInt { (end &- 1) & ~UInt(SlotPiece.byteCount - 1) }

    /// Makes room. The piece before, if there is one, is full.
    mutating func grow(_ piece: UnsafeMutablePointer<SlotPiece>) {
        if first == nil {
            first = piece
        } else {
            UnsafeMutablePointer<SlotPiece>(bitPattern: lastAddress)?.pointee.next = piece
        }
        end = UInt(bitPattern: piece.slots)
    }
}

/// Owns the memory of all lists.
struct SlotPool: ~Copyable {
    private static let piecesPerBlock = 64
    private var blocks: [UnsafeMutableRawPointer] = []
    private var free: UnsafeMutablePointer<SlotPiece>?
    private(set) var piecesInUse = 0

    deinit {
        for block in blocks { block.deallocate() }
    }

    var footprint: Int { blocks.count * Self.piecesPerBlock * SlotPiece.byteCount }

    mutating func takePiece() -> UnsafeMutablePointer<SlotPiece> {
        if free == nil { addBlock() }
        guard let piece = free else { preconditionFailure("a new block has pieces") }
        free = piece.pointee.next
        piece.pointee.next = nil
        piecesInUse += 1
        return piece
    }

    mutating func recycle(_ piece: UnsafeMutablePointer<SlotPiece>) {
        piecesInUse -= 1
        addFree(piece)
    }

    private mutating func addFree(_ piece: UnsafeMutablePointer<SlotPiece>) {
        piece.pointee.next = free
        free = piece
    }

    private mutating func addBlock() {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: Self.piecesPerBlock * SlotPiece.byteCount, alignment: SlotPiece.byteCount)
        blocks.append(block)
        for index in (0..<Self.piecesPerBlock).reversed() {
            let piece = (block + index * SlotPiece.byteCount).bindMemory(to: SlotPiece.self, capacity: 1)
            piece.initialize(to: SlotPiece())
            addFree(piece)
        }
    }
}
