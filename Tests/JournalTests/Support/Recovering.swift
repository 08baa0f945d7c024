// A daemon in this process that goes on from a store, and ends as it should.

import Store
@testable import EventLoop
@testable import GameDaemon
@testable import Journal

extension Daemon {
    /// Restores what is in the store, and keeps there what happens from now on; throws what a start would be refused with.
    func goOn(from store: any Store) throws {
        try persist(in: store)
        loop.timekeeper.beginTurn()
        var outcome: Result<Void, StoreError>?
        recover { outcome = $0 }
        while outcome == nil { try loop.turn() }
        try outcome?.get()
    }

    /// A last turn, and then everything is on disk.
    func end() throws {
        loop.schedule {}
        try loop.turn()
        try persistence?.finish()
    }
}
