// One server for all tests that do no harm to it. It ends with the process.

import Postgres
import PostgresServer

enum SharedServer {
    private static let server: Result<PostgresServer, any Error> = Result { try PostgresServer(fsync: false) }

    static func get() throws -> PostgresServer { try server.get() }

    /// Over TCP, with a statement's time of its own.
    static func connect(_ statement: Duration = .seconds(30)) throws -> Connection {
        try Connection(get().uri(), timeouts: .patient(statement))
    }
}

extension Timeouts {
    /// For a machine that is busy.
    static func patient(_ statement: Duration = .seconds(30)) -> Timeouts {
        var timeouts = Timeouts()
        (timeouts.connect, timeouts.statement, timeouts.lock, timeouts.answer) = (
            .seconds(30), statement, statement, .seconds(30)
        )
        timeouts.network = .seconds(30)
        return timeouts
    }
}

extension PipelineAnswer {
    var rows: Rows? {
        if case .done(let rows) = self { rows } else { nil }
    }

    var error: PostgresError? {
        if case .failed(let error) = self { error } else { nil }
    }

    var isSynced: Bool {
        if case .synced = self { true } else { false }
    }
}

/// The error that it throws.
func failure(_ body: () throws -> some Any) -> PostgresError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? PostgresError
    }
}
