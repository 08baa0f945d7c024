// Reassembles one frame. FrameAssembler decides which fragments belong together.

enum FrameAssembly: Equatable {
    /// The longest frame that is kept while incomplete. An attribute has at most 512 bytes; a frame of several fits too.
    static let maxLength = 4_096

    /// No frame has collected. A continuation without its start is dropped.
    case idle
    /// A part of a frame has come, perhaps less than its header.
    case collecting([UInt8])
    /// A frame that is too long to keep is passing; so many bytes of it are still to come.
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
            skip(fragment.bytes.count, of: left)
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

    private mutating func skip(_ count: Int, of left: Int) {
        self = count < left ? .skipping(left: left - count) : .idle
    }

    /// Nil until the frame's header is complete.
    private static func frameLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= L2CAPFrame.headerLength else { return nil }
        var reader = ByteReader(bytes)
        return reader.number(UInt16.self).map { L2CAPFrame.headerLength + Int($0) }
    }
}
