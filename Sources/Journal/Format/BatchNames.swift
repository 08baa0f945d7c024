// Names within a batch: each is written out where the batch first needs it, and is a number from then on. So a batch can be read by
// itself, even after flows have changed.

/// The numbers that one flow's names have in the open batch.
final class KindNumbers {
    enum List: Int {
        case states, events, timers
        /// The flow's own name, and others that are no list: see `Own`.
        case own
    }

    enum Own: Int {
        case flow, definition, expiry, halt
    }

    /// By index and list: the batch's number in the upper bits, the name's in the lowest 16. So a new batch forgets all names without
    /// clearing the array.
    @exclusivity(unchecked) private var numbers: [UInt64] = []

    @inline(__always)
    func known(_ list: List, _ index: Int, in batch: UInt64) -> UInt16? {
        let place = Self.place(list, index)
        guard place < numbers.count, numbers[place] >> 16 == batch else { return nil }
        return UInt16(truncatingIfNeeded: numbers[place])
    }

    func learn(_ list: List, _ index: Int, _ number: UInt16, in batch: UInt64) {
        let place = Self.place(list, index)
        while numbers.count <= place { numbers.append(0) }
        numbers[place] = batch << 16 | UInt64(number)
    }

    @inline(__always)
    private static func place(_ list: List, _ index: Int) -> Int { index << 2 | list.rawValue }
}

/// A batch with its names by number.
struct NamedBatch {
    let bytes: Batch
    var names: [UnsafeRawBufferPointer] = []
    /// The boot that its times count from, which may be an earlier one.
    var boot = UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ bytes: Batch) {
        self.bytes = bytes
    }

    func name(_ number: UInt16) -> UnsafeRawBufferPointer? {
        Int(number) < names.count ? names[Int(number)] : nil
    }
}
