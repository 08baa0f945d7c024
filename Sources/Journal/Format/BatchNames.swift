// Names within a batch: each is written out where the batch first needs it, and is a number from then on. So a batch can be read by
// itself, even after flows have changed.

/// The numbers of a list's names in the open batch.
final class IndexedNumbers {
    /// By index in the list: the batch's number in the upper bits, the name's in the lowest 16. So a new batch forgets all names
    /// without clearing the array.
    @exclusivity(unchecked) private var numbers: [UInt64] = []

    @inline(__always)
    func known(_ index: Int, in batch: UInt64) -> UInt16? {
        guard index < numbers.count, numbers[index] >> 16 == batch else { return nil }
        return UInt16(truncatingIfNeeded: numbers[index])
    }

    func learn(_ index: Int, _ number: UInt16, in batch: UInt64) {
        while numbers.count <= index { numbers.append(0) }
        numbers[index] = batch << 16 | UInt64(number)
    }
}

/// The numbers of all names of one flow.
final class KindNumbers {
    let states = IndexedNumbers()
    let events = IndexedNumbers()
    let timers = IndexedNumbers()
    /// The flow's own name, as a list of one.
    let flow = IndexedNumbers()
    /// So is its definition.
    let definition = IndexedNumbers()
    /// So is when its sessions expire.
    let expiry = IndexedNumbers()
}
