// A machine's phase and flags, packed into one byte.

/// What a machine is doing.
@usableFromInline
enum MachinePhase: UInt8 {
    /// Ready for an event.
    case idle
    /// Handling an event; further ones queue.
    case handling
    /// Waiting for an asynchronous hook; further events queue.
    case waiting
}

@usableFromInline
struct MachineFlags {
    @usableFromInline var bits: UInt8 = 0

    @inlinable
    init() {}

    @inlinable var phase: MachinePhase {
        get { MachinePhase(rawValue: bits & 3) ?? .idle }
        set { bits = bits & ~3 | newValue.rawValue }
    }

    /// The owner's number, in five bits.
    @inlinable var stamp: UInt8 {
        get { bits >> 3 }
        set { bits = bits & 7 | newValue << 3 }
    }

    /// Whether its kind has extras for it.
    @inlinable var hasExtras: Bool {
        get { bits & 4 != 0 }
        set { bits = bits & ~4 | (newValue ? 4 : 0) }
    }
}
