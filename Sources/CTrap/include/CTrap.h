// A handler for signals that end the process. It records in the flight record that a trap ended it, and then leaves the signal to the
// previous handler. It is in C because a signal handler must not run Swift code.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The beginning of the file; names follow. Numbers are in the machine's byte order, since the file stays on its machine.
struct gamed_flight {
    char magic[8];
    uint32_t version;
    // Number of bytes of names that follow.
    uint32_t names;
    // Checksum of the names and the identity.
    uint64_t checksum;
    // The identity of the database that the mark's slot belongs to.
    int64_t identity;
    // The session being handled, and why; 0 if none. Written before and after a flow's code runs.
    uint64_t mark;
    // The signal of the trap that ended the process while the mark was set; 0 if none.
    uint32_t signal;
    uint32_t unused;
};

// Records traps of the calling thread in `flight` from now on; `mapped` is its size in bytes. Returns 0, or the errno of the failed
// call; then nothing has changed.
int gamed_trap_watch(struct gamed_flight *flight, size_t mapped);

// Records traps in another mapping of the same size from now on. Copies the mark and unmaps the old mapping.
void gamed_trap_move(struct gamed_flight *flight);

// Also records a SIGABRT from the parent process from now on: systemd ends a service whose loop hangs with it.
void gamed_trap_watchdog(void);

// Writes to the eventfd `call` once a trap is recorded. The process then does not end before the eventfd `answer` is readable
// or `milliseconds` have passed.
void gamed_trap_call(int call, int answer, int milliseconds);

// Restores the previous signal handlers.
void gamed_trap_ignore(void);
