// What Linux has and Swift's Glibc module leaves out.
#pragma once

// How much memory is in use, and how to give some back.
#include <malloc.h>
// The descriptor that wakes the loop from another thread.
#include <sys/eventfd.h>
// Whether the clock is synchronized.
#include <sys/timex.h>
// For the benchmarks: the bare timer that lateness is compared with.
#include <sys/timerfd.h>
// A file's access list.
#include <sys/xattr.h>
// Not <sys/socket.h>: what Swift's Glibc module has of it would be hidden.
#include <asm/socket.h>

// Fetches a cache line that will be needed soon; any address will do, even an invalid one.
static inline void gamed_prefetch(const void *address) { __builtin_prefetch(address); }

// The groups of the process at the other end of a UNIX socket.
static const int GAMED_SO_PEERGROUPS = SO_PEERGROUPS;
