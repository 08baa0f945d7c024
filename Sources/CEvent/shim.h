// libevent 2.1 as Swift sees it. Only GameDaemon imports it.
#pragma once

#if !__has_include(<event2/event.h>)
#error "libevent is missing: install Debian's package libevent-dev, or run 'make deps'"
#endif

// Before libevent's configuration, which defines _GNU_SOURCE: seen with that, the system's own types would differ from those in
// Foundation's modules, and nobody could import both.
#include <sys/select.h>

#include <event2/event.h>

// The descriptor that wakes the loop from another thread; Swift's Glibc module leaves it out.
#include <sys/eventfd.h>
// For the benchmarks: the bare timer that lateness is compared with, and how much memory is in use.
#include <malloc.h>
#include <sys/timerfd.h>

// Has a cache line fetched that will be needed soon; any address will do, even one that is none.
static inline void gamed_prefetch(const void *address) { __builtin_prefetch(address); }
