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
        case disk(Machine), database(Home)
    }

    private let place: Place
    private var failure: Failure?

    init(_ keeping: Keeping) throws {
        place = keeping == .directory ? .disk(try Machine(Folder())) : .database(try Home(.database, throughProxy: true))
    }

    func start(_ words: [String] = [], environment: [String: String] = [:]) throws -> RunningDaemon {
        switch place {
        case .disk(let machine): try machine.daemon(["--durability", "always"] + words, environment: environment)
        case .database(let home): try home.start(words, isVirtual: false, environment: environment)
        }
    }

    /// Call this after the daemon's death. Data that it has sent stays in flight, as in a network that is gone.
    func recover() throws {
        if case .database(let home) = place { try home.bury() }
        isBlocked = false
    }

    var isBlocked = false {
        didSet {
            switch place {
            case .disk(let machine): machine.faults.isBlocked = isBlocked
            case .database(let home): home.block(isBlocked)
            }
        }
    }

    func fail(_ failure: Failure) throws {
        self.failure = failure
        switch (failure, place) {
        case (.slow, _): isBlocked = true
        case (.full, .disk(let machine)): machine.faults.fail(writing: .full, syncing: .broken)
        case (.full, .database(let home)): try home.fill("log")
        case (.gone, .disk(let machine)):
            try FileManager.default.moveItem(atPath: machine.folder.data, toPath: machine.folder.path + "/elsewhere")
        case (.gone, .database(let home)): home.disconnect(true)
        }
    }

    func repair() throws {
        switch (failure, place) {
        case (nil, _): return
        case (.slow, _): isBlocked = false
        case (.full, .disk(let machine)): machine.faults.repair()
        case (.full, .database(let home)): try home.makeRoom("log")
        case (.gone, .disk(let machine)):
            try FileManager.default.moveItem(atPath: machine.folder.path + "/elsewhere", toPath: machine.folder.data)
        case (.gone, .database(let home)): home.disconnect(false)
        }
        failure = nil
    }
}

extension Home {
    /// From now on nothing can be written into this table of the database.
    fileprivate func fill(_ table: String) throws {
        let error = "RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'could not extend file: No space left on device'"
        _ = try peek("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN \(error); END$$")
        _ = try peek("CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON \(table) FOR EACH STATEMENT EXECUTE FUNCTION refuse()")
    }

    fileprivate func makeRoom(_ table: String) throws {
        _ = try peek("DROP TRIGGER refuse ON \(table); DROP FUNCTION refuse()")
    }
}
