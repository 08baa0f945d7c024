// A daemon in this process that recovers from a store, and ends in order.

import Store
@testable import EventLoop
@testable import GameDaemon
@testable import Journal

extension Daemon {
    /// Recovers from the store, and uses it from now on. Throws the error with which a start would be refused.
    func recover(from store: any Store) throws {
        try persist(in: store)
        loop.timekeeper.beginTurn()
        var outcome: Result<Void, StoreError>?
        recover { outcome = $0 }
        while outcome == nil { try loop.turn() }
        try outcome?.get()
    }

    /// Runs a last turn, and writes everything to disk.
    func end() throws {
        loop.schedule {}
        try loop.turn()
        try persistence?.finish()
    }
}
