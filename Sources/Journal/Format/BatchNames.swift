// Names within a batch: each is written out the first time that the batch needs it, and is a number from then on. So a batch can be
// read by itself, whatever has become of the flows.

/// The numbers that the names of a list have in the batch that is being written.
final class IndexedNumbers {
    /// By index in the list: the number of the batch in the higher bits, that of the name in the lowest sixteen.
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

/// The same for all lists of one flow.
final class KindNumbers {
    let states = IndexedNumbers()
    let events = IndexedNumbers()
    let timers = IndexedNumbers()
    /// A list of one: the flow's own name.
    let flow = IndexedNumbers()
}
