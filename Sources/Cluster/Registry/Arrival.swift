// A shard that its new owner serves, which it tells the others.

package struct Arrival: Equatable, Sendable {
    package let shard: Int
    package let epoch: Int64

    package init(shard: Int, epoch: Int64) {
        self.shard = shard
        self.epoch = epoch
    }
}
