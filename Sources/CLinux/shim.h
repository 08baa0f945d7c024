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
// The user with whose rights a thread opens files.
#include <sys/fsuid.h>
// Not <sys/socket.h>, which would hide the declarations of Swift's Glibc module.
#include <asm/socket.h>

// Prefetches a cache line. Any address is allowed, even an invalid one.
static inline void gamed_prefetch(const void *address) { __builtin_prefetch(address); }

// The groups of the process at the other end of a UNIX socket.
static const int GAMED_SO_PEERGROUPS = SO_PEERGROUPS;
