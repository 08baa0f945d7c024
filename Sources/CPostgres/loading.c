// libpq's functions, forwarded to the library, which is loaded on first use. Each has the name and, by the header, the type
// of the real one. None is visible outside this program.
#include <dlfcn.h>

#pragma GCC visibility push(hidden)
#include "CPostgres.h"
#pragma GCC visibility pop

// Its number has not changed since PostgreSQL 8.2.
#define LIBRARY "libpq.so.5"

#define FUNCTIONS(F) \
    F(void, PQclear, (PGresult *a), (a)) \
    F(PostgresPollingStatusType, PQconnectPoll, (PGconn *a), (a)) \
    F(PGconn *, PQconnectStartParams, (const char *const *a, const char *const *b, int c), (a, b, c)) \
    F(void, PQconninfoFree, (PQconninfoOption *a), (a)) \
    F(PQconninfoOption *, PQconninfoParse, (const char *a, char **b), (a, b)) \
    F(int, PQconsumeInput, (PGconn *a), (a)) \
    F(int, PQenterPipelineMode, (PGconn *a), (a)) \
    F(char *, PQerrorMessage, (const PGconn *a), (a)) \
    F(int, PQexitPipelineMode, (PGconn *a), (a)) \
    F(int, PQfformat, (const PGresult *a, int b), (a, b)) \
    F(void, PQfinish, (PGconn *a), (a)) \
    F(int, PQflush, (PGconn *a), (a)) \
    F(char *, PQfname, (const PGresult *a, int b), (a, b)) \
    F(void, PQfreemem, (void *a), (a)) \
    F(Oid, PQftype, (const PGresult *a, int b), (a, b)) \
    F(PGresult *, PQgetResult, (PGconn *a), (a)) \
    F(int, PQgetisnull, (const PGresult *a, int b, int c), (a, b, c)) \
    F(int, PQgetlength, (const PGresult *a, int b, int c), (a, b, c)) \
    F(char *, PQgetvalue, (const PGresult *a, int b, int c), (a, b, c)) \
    F(char *, PQhost, (const PGconn *a), (a)) \
    F(char *, PQhostaddr, (const PGconn *a), (a)) \
    F(int, PQisBusy, (PGconn *a), (a)) \
    F(int, PQnfields, (const PGresult *a), (a)) \
    F(PGnotify *, PQnotifies, (PGconn *a), (a)) \
    F(int, PQntuples, (const PGresult *a), (a)) \
    F(char *, PQpass, (const PGconn *a), (a)) \
    F(int, PQpipelineSync, (PGconn *a), (a)) \
    F(PGpipelineStatus, PQpipelineStatus, (const PGconn *a), (a)) \
    F(char *, PQport, (const PGconn *a), (a)) \
    F(char *, PQresultErrorField, (const PGresult *a, int b), (a, b)) \
    F(ExecStatusType, PQresultStatus, (const PGresult *a), (a)) \
    F(int, PQsendPrepare, (PGconn *a, const char *b, const char *c, int d, const Oid *e), (a, b, c, d, e)) \
    F(int, PQsendQuery, (PGconn *a, const char *b), (a, b)) \
    F(int, PQsendQueryParams, (PGconn *a, const char *b, int c, const Oid *d, const char *const *e, const int *f, const int *g, int h), (a, b, c, d, e, f, g, h)) \
    F(int, PQsendQueryPrepared, (PGconn *a, const char *b, int c, const char *const *d, const int *e, const int *f, int g), (a, b, c, d, e, f, g)) \
    F(PGVerbosity, PQsetErrorVerbosity, (PGconn *a, PGVerbosity b), (a, b)) \
    F(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn *a, PQnoticeReceiver b, void *c), (a, b, c)) \
    F(int, PQsetSingleRowMode, (PGconn *a), (a)) \
    F(int, PQsetnonblocking, (PGconn *a, int b), (a, b)) \
    F(int, PQsocket, (const PGconn *a), (a)) \
    F(ConnStatusType, PQstatus, (const PGconn *a), (a))

#define FORWARD(result, name, parameters, arguments) \
    static result (*real_##name) parameters; \
    result name parameters { return real_##name arguments; }

FUNCTIONS(FORWARD)

#define FIND(result, name, parameters, arguments) \
    if (!(real_##name = (result (*) parameters)dlsym(opened, #name))) return dlerror();

const char *gamed_postgres_load(void) {
    static void *library;
    if (library) return NULL;
    // Its own dependencies are found through it.
    void *opened = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!opened) return dlerror();
    FUNCTIONS(FIND)
    library = opened;
    return NULL;
}
