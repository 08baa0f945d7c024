// A handler for signals that end the process: it notes, in the flight record, that a trap was the end, and leaves the rest to whoever
// handled the signal before. In C, since nothing of Swift may be used in such a handler.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The beginning of the file; names follow. The numbers are in the machine's own order: the file stays where it was written.
struct gamed_flight {
    char magic[8];
    uint32_t version;
    // How many bytes of names follow.
    uint32_t names;
    // Tells whether the names, and the identity, are what was written.
    uint64_t checksum;
    // The database that the mark's place is in.
    int64_t identity;
    // Which session is being handled, and why; 0 is none. Written before and after whatever runs a flow's code.
    uint64_t mark;
    // The signal of the trap that ended the process while the mark stood; 0 is none.
    uint32_t signal;
    uint32_t unused;
};

// From now on, traps of the calling thread are noted in `flight`, of which so many bytes are mapped. Returns 0, or the system's
// number of what failed; then nothing has been changed.
int gamed_trap_watch(struct gamed_flight *flight, size_t mapped);

// From now on, traps are noted in another place, of which as many bytes are mapped; the mark comes along, and the old place is unmapped.
void gamed_trap_move(struct gamed_flight *flight);

// From now on a SIGABRT of the parent process is noted as well: that is how systemd ends a service whose loop hangs.
void gamed_trap_watchdog(void);

// From now on, whoever waits at the eventfd `call` is told of a trap once it is noted, and the process does not end before the eventfd
// `answer` can be read, or so much time has passed.
void gamed_trap_call(int call, int answer, int milliseconds);

// Signals are handled as they were before.
void gamed_trap_ignore(void);
