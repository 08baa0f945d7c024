/// A shard, as its owner knows it. What an owner writes counts only while the shard's epoch is still its own.
package struct Shard: Hashable, Sendable {
    package let number: Int
    /// Grows by one with every change of owner.
    package let epoch: Int64

    package init(_ number: Int, epoch: Int64) {
        self.number = number
        self.epoch = epoch
    }

    /// The only shard of a store that no other daemon uses.
    package static let only = Shard(0, epoch: 1)
}

/// A shard's numbers, as they are loaded.
package struct ShardSummary: Sendable {
    /// The highest number in its log, or the one that its tables cover.
    package var lastLogged: Int64 = 0
    /// The last life given out; 0 if none was.
    package var lastLife: Int64 = 0
    /// One more than the highest serial of its lines; 0 if that is not known.
    package var nextSerial: Int64 = 0
    /// One more than the highest row number of a live session; 0 where rows have no numbers.
    package var slotsInUse = 0

    package init() {}
}

/// What a store has saved of a session.
package struct SavedVersion: Sendable {
    package let name: String
    package let life: Int64?
    package let version: Int64

    package init(name: String, life: Int64?, version: Int64) {
        (self.name, self.life, self.version) = (name, life, version)
    }
}
