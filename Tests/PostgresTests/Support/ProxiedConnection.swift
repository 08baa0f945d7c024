// A connection through a proxy, to a database with a table of its own.

import Postgres
import PostgresServer
import TestSupport

final class ProxiedConnection {
    let connection: Connection
    let proxy: Proxy
    private let database: String

    init() throws {
        let server = try SharedServer.get()
        database = try server.newDatabase()
        try server.ask("CREATE TABLE lost (n int)", in: database)
        proxy = try Proxy(to: server.port)
        connection = try Connection(server.uri(database, port: proxy.port), timeouts: .patient())
    }

    /// The number of rows in the table, as another connection sees it.
    func count() throws -> String { try SharedServer.get().ask("SELECT count(*) FROM lost", in: database) }
}
