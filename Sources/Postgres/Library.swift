// libpq, loaded when the first connection is opened: with what it needs in turn it takes some megabytes.

import CPostgres

enum Library {
    /// Why there are no connections: the library is missing.
    static let trouble: String? = gamed_postgres_load().map {
        "PostgreSQL needs libpq, which cannot be loaded: \(String(cString: $0)); Debian's package libpq5 has it"
    }
}
