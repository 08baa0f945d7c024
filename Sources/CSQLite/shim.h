// SQLite 3 as Swift sees it. Only SQLiteStore imports it.
#pragma once

#if !__has_include(<sqlite3.h>)
#error "SQLite is missing: install Debian's package libsqlite3-dev, or run 'make deps'"
#endif

#include <sqlite3.h>

// Variadic functions, which Swift cannot call.

// Turns off SQLite's count of allocations, which is not read and takes a lock shared by all threads. Called before anything else.
static inline int gamed_sqlite_without_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

static inline int gamed_sqlite_configure(sqlite3 *connection, int option, int on) {
    return sqlite3_db_config(connection, option, on, (int *)0);
}
