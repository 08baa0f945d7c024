// A store's part in moving everything from one store to another, while no daemon uses either.

/// One end of a move. It has its store to itself, from when it is made until it is released.
package protocol StoreMoving: AnyObject {
    var store: any Store { get }
    /// Its shards, under epochs that no node has.
    var shards: [Shard] { get }

    /// Throws if two of its sessions have one name.
    func checkNames() throws(StoreError)

    /// How many sessions its tables have.
    func countSessions() throws(StoreError) -> Int

    /// Yields all blocks of the history: each shard's in order, and those of several by time, as far as the clocks were right.
    func loadHistory(_ body: (_ shard: Int, HistoryBlock) throws -> Void) throws

    /// Called on the source, once the target has everything. From now on no daemon starts here, until the operator lifts the mark.
    func markMoved(to place: String) throws(StoreError)

    /// As the target, once the source is marked: everything is on disk, and daemons may start here.
    func open() throws(StoreError)

    /// As the source, once the target is open.
    func end() throws(StoreError)

    /// Ends a move that has failed. A source is as it was; of a target nothing is left, except for the mark of an earlier move.
    func abort()
}

/// Which end of a move.
package enum MoveRole: Sendable {
    case source, target
}
