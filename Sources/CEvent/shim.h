// libevent 2.1 as Swift sees it. Only EventLoop and HTTP import it.
#pragma once

#if !__has_include(<event2/event.h>)
#error "libevent is missing: install Debian's package libevent-dev, or run 'make deps'"
#endif

// Before libevent's configuration, which defines _GNU_SOURCE: seen with that, the system's own types would differ from those in
// Foundation's modules, and no file could import both.
#include <sys/select.h>

#include <event2/event.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
