// libpq as Swift sees it, loaded once somebody opens a connection: who does not pays nothing for it. Only Postgres imports it.
#pragma once

#if !__has_include(<postgresql/libpq-fe.h>)
#error "libpq is missing: install Debian's package libpq-dev, or run 'make deps'"
#endif

#include <postgresql/libpq-fe.h>

// Loads libpq. To be called before anything else here, on one thread. Returns what is missing, in the system's words; NULL if nothing is.
const char *gamed_postgres_load(void);
