// Upgrades a database of an older version: adds columns, and writes no row.

import Store

enum Upgrade {
    /// In one transaction, so that a crash leaves one version or the other.
    static func run(_ connection: Connection) throws(StoreError) {
        let version = try connection.number("PRAGMA user_version") ?? 0
        guard version < Schema.version else { return }
        do throws(StoreError) {
            try connection.run("BEGIN IMMEDIATE")
            for addition in Schema.added where addition.since > version {
                try connection.run("ALTER TABLE \(addition.table) ADD COLUMN \(addition.column)")
                Failpoint.hit("during-upgrade")
            }
            try connection.run("PRAGMA user_version = \(Schema.version); COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
        Failpoint.hit("after-upgrade")
        try Schema.verify(connection)
    }
}
