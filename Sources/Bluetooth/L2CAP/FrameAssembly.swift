// Puts one frame together from its pieces. Which connection and which direction they belong to is FrameAssembler's business.

enum FrameAssembly: Equatable {
    /// The longest frame that is kept while it is incomplete. Attributes have at most 512 bytes; a frame of several fits too.
    static let longest = 4_096

    /// No frame has begun; a piece that belongs behind another one has lost its start and is dropped.
    case idle
    /// Some bytes of a frame have come: its head perhaps, but not its end.
    case collecting([UInt8])
    /// A frame is going by that is longer than what is kept; so many bytes of it are still to come.
    case skipping(left: Int)

    /// How many bytes are kept.
    var byteCount: Int {
        switch self {
        case .collecting(let bytes): bytes.count
        case .idle, .skipping: 0
        }
    }

    /// The frame that this piece completes, if it completes one.
    mutating func take(_ fragment: ACLFragment) -> L2CAPFrame? {
        if fragment.isCut {
            self = .idle
            return nil
        }
        switch (self, isContinuation: fragment.isContinuation) {
        case (_, isContinuation: false):
            return goOn(with: fragment.bytes)
        case (.idle, isContinuation: true):
            return nil
        case (.collecting(let begun), isContinuation: true):
            return goOn(with: begun + fragment.bytes)
        case (.skipping(let left), isContinuation: true):
            skip(fragment.bytes.count, of: left)
            return nil
        }
    }

    /// All that has come of a frame. More than there should be spoils it, since nobody knows which bytes are too many.
    private mutating func goOn(with bytes: ArraySlice<UInt8>) -> L2CAPFrame? {
        guard let length = Self.frameLength(bytes) else {
            self = .collecting(Array(bytes))
            return nil
        }
        let left = length - bytes.count
        guard left > 0 else {
            self = .idle
            return L2CAPFrame(bytes)
        }
        self = length > Self.longest ? .skipping(left: left) : .collecting(Array(bytes))
        return nil
    }

    private mutating func skip(_ count: Int, of left: Int) {
        self = count < left ? .skipping(left: left - count) : .idle
    }

    /// Nil as long as the frame's head has not come whole.
    private static func frameLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= L2CAPFrame.headerLength else { return nil }
        var reader = ByteReader(bytes)
        return reader.number(UInt16.self).map { L2CAPFrame.headerLength + Int($0) }
    }
}
