// Where clients are sent: slots and the nodes that own them, as CLUSTER SLOTS and MOVED say it.

extension ClusterView {
    /// The node that owns a slot; nil if nobody does.
    package func owner(ofSlot slot: Int) -> NodeRecord? {
        owner(ofShard: map.shard(ofSlot: slot)).flatMap(node)
    }

    /// All slots that have owners, in order, with neighbours of one owner as one range.
    package var slotRanges: [SlotRange] {
        var ranges: [SlotRange] = []
        for shard in 0..<map.count {
            guard let owner = owner(ofShard: shard) else { continue }
            let slots = map.slots(ofShard: shard)
            if let last = ranges.last, last.owner == owner, last.slots.upperBound + 1 == slots.lowerBound {
                ranges[ranges.count - 1] = SlotRange(slots: last.slots.lowerBound...slots.upperBound, owner: owner)
            } else {
                ranges.append(SlotRange(slots: slots, owner: owner))
            }
        }
        return ranges
    }
}

package struct SlotRange: Equatable, Sendable {
    package let slots: ClosedRange<Int>
    package let owner: Incarnation
}
