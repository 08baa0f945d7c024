// libpq as Swift sees it. It is loaded when the first connection is opened. Only Postgres imports it.
#pragma once

#if !__has_include(<postgresql/libpq-fe.h>)
#error "libpq is missing: install Debian's package libpq-dev, or run 'make deps'"
#endif

#include <postgresql/libpq-fe.h>

// Loads libpq. Called before anything else here, on one thread. Returns the system's error message, or NULL on success.
const char *gamed_postgres_load(void);
