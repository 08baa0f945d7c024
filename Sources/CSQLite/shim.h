// SQLite 3 as Swift sees it. Only SQLiteStore imports it.
#pragma once

#if !__has_include(<sqlite3.h>)
#error "SQLite is missing: install Debian's package libsqlite3-dev, or run 'make deps'"
#endif

#include <sqlite3.h>

// Variadic functions, which Swift cannot call.

// Counting every allocation takes a lock that all threads share; nobody reads the count. To be called before anything else.
static inline int gamed_sqlite_without_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

static inline int gamed_sqlite_configure(sqlite3 *connection, int option, int on) {
    return sqlite3_db_config(connection, option, on, (int *)0);
}
