// Linux functions that Swift's Glibc module leaves out, or that Swift cannot call.
#pragma once

// Memory in use, and its release.
#include <malloc.h>
// The descriptor that wakes the loop from another thread.
#include <sys/eventfd.h>
// Whether the clock is synchronized.
#include <sys/timex.h>
// For the benchmarks: the kernel's timer, the reference for lateness.
#include <sys/timerfd.h>
// A file's access list.
#include <sys/xattr.h>
// Not <sys/socket.h>, which would hide the declarations of Swift's Glibc module.
#include <asm/socket.h>

// Prefetches a cache line. Any address is allowed, even an invalid one.
static inline void gamed_prefetch(const void *address) { __builtin_prefetch(address); }

// The groups of the process at the other end of a UNIX socket.
static const int GAMED_SO_PEERGROUPS = SO_PEERGROUPS;

// Creates a file in memory that is closed on exec and can be sealed. Returns its descriptor, or -1 on failure.
int gamed_memory_file(const char *name);

// Seals the file against any change. Returns 0 on success.
int gamed_seal(int file);

// Sends a descriptor to an address in a datagram of its own, without waiting. Returns -1 on failure.
long gamed_send_descriptor(int from, const void *to, unsigned int size, int descriptor);
