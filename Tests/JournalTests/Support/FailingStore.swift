// A store that fails in the way that a test chooses, and can be repaired.

import Foundation
import PostgresServer
import TestSupport
import Testing

final class FailingStore {
    enum Failure: String, CaseIterable, CustomTestStringConvertible {
        /// The store has no space.
        case full
        /// Writes are accepted, but not acknowledged.
        case slow
        /// The files, or the server, are not there.
        case gone

        var testDescription: String { rawValue }
    }

    private enum Place {
        case disk(FaultyMachine), database(DaemonStore)
    }

    private let place: Place
    private var failure: Failure?

    init(_ storeKind: StoreKind) throws {
        place =
            storeKind == .directory
            ? .disk(try FaultyMachine(Folder())) : .database(try DaemonStore(.database, throughProxy: true))
    }

    func start(_ words: [String] = [], environment: [String: String] = [:]) throws -> RunningDaemon {
        switch place {
        case .disk(let machine): try machine.start(["--durability", "always"] + words, environment: environment)
        case .database(let store): try store.start(words, isVirtual: false, environment: environment)
        }
    }

    /// Call this after the daemon's death. Data that it has sent stays in flight, as in a network that is gone.
    func recover() throws {
        if case .database(let store) = place { try store.endLease() }
        isBlocked = false
    }

    var isBlocked = false {
        didSet {
            switch place {
            case .disk(let machine): machine.faults.isBlocked = isBlocked
            case .database(let store): store.block(isBlocked)
            }
        }
    }

    func fail(_ failure: Failure) throws {
        self.failure = failure
        switch (failure, place) {
        case (.slow, _): isBlocked = true
        case (.full, .disk(let machine)): machine.faults.fail(writing: .full, syncing: .broken)
        case (.full, .database(let store)): try store.fill("log")
        case (.gone, .disk(let machine)):
            try FileManager.default.moveItem(atPath: machine.folder.data, toPath: machine.folder.path + "/elsewhere")
        case (.gone, .database(let store)): store.disconnect(true)
        }
    }

    func repair() throws {
        switch (failure, place) {
        case (nil, _): return
        case (.slow, _): isBlocked = false
        case (.full, .disk(let machine)): machine.faults.repair()
        case (.full, .database(let store)): try store.makeRoom("log")
        case (.gone, .disk(let machine)):
            try FileManager.default.moveItem(atPath: machine.folder.path + "/elsewhere", toPath: machine.folder.data)
        case (.gone, .database(let store)): store.disconnect(false)
        }
        failure = nil
    }
}

extension DaemonStore {
    /// From now on nothing can be written into this table of the database.
    fileprivate func fill(_ table: String) throws {
        let error = "RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'could not extend file: No space left on device'"
        _ = try query("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN \(error); END$$")
        _ = try query("CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON \(table) FOR EACH STATEMENT EXECUTE FUNCTION refuse()")
    }

    fileprivate func makeRoom(_ table: String) throws {
        _ = try query("DROP TRIGGER refuse ON \(table); DROP FUNCTION refuse()")
    }
}
