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
#include <sys/socket.h>
// What is sent to systemd's journal when it is long.
#include <fcntl.h>
#include <linux/memfd.h>
#include <string.h>

// Fetches a cache line that will be needed soon; any address will do, even an invalid one.
static inline void gamed_prefetch(const void *address) { __builtin_prefetch(address); }

// The groups of the process at the other end of a UNIX socket.
static const int GAMED_SO_PEERGROUPS = SO_PEERGROUPS;

// A file's access list.
#include <sys/xattr.h>

// Declared for GNU programs only, which Swift's module is not made for.
extern int memfd_create(const char *name, unsigned int flags);

// A file in memory that is closed for children, and can be sealed.
static inline int gamed_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING); }

// From now on nobody can change it: F_ADD_SEALS of F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_WRITE.
static inline int gamed_seal(int file) { return fcntl(file, 1033, 1 | 2 | 4 | 8); }

// Sends a descriptor in a datagram of its own, without waiting. Swift has no CMSG_* macros.
static inline long gamed_send_descriptor(int from, const struct sockaddr *to, socklen_t size, int descriptor) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message;
    memset(&control, 0, sizeof control);
    memset(&message, 0, sizeof message);
    message.msg_name = (void *)to;
    message.msg_namelen = size;
    message.msg_control = &control;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *first = CMSG_FIRSTHDR(&message);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(first), &descriptor, sizeof(int));
    return sendmsg(from, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}
