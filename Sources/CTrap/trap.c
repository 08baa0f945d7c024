#define _GNU_SOURCE
#include "CTrap.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
enum { count = sizeof signals / sizeof signals[0] };

// The handler called next uses the same stack and makes a backtrace there.
enum { stack_size = 256 << 10, guard_size = 64 << 10 };

static struct sigaction before[count];
static struct gamed_flight *volatile flight;
static size_t mapped;
static pid_t watched;
static volatile int has_watchdog;
// The eventfds of `gamed_trap_call`; below zero if it was not called.
static volatile int calls = -1, answers = -1;
static volatile int patience;

static pid_t this_thread(void) { return (pid_t)syscall(SYS_gettid); }

// Whether systemd sent the signal because the loop hangs.
static int is_watchdog(int number, const siginfo_t *info) {
    return has_watchdog && number == SIGABRT && info->si_code <= 0 && info->si_pid == getppid();
}

// Whether the process itself caused the signal, or the watchdog sent it.
static int is_trap(int number, const siginfo_t *info) {
    return info->si_code > 0 || info->si_pid == getpid() || is_watchdog(number, info);
}

// Whether the same instruction raises the signal again when it is rerun.
static int comes_again(int number, const siginfo_t *info) { return info->si_code > 0 && number != SIGTRAP; }

// Replaces the mapping if the file was truncated: from now on the mark is written to anonymous memory that is never read.
static int replaces_page(int number, const siginfo_t *info) {
    char *start = (char *)flight;
    if (number != SIGBUS || !start || (char *)info->si_addr < start || (char *)info->si_addr >= start + mapped) return 0;
    return mmap(start, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

// Another thread does the work that a signal handler may not do. This thread continues, and ends the process, after that or the timeout.
static void call_and_wait(void) {
    if (calls < 0) return;
    uint64_t one = 1;
    struct pollfd answer = {.fd = answers, .events = POLLIN};
    if (write(calls, &one, sizeof one) == sizeof one) poll(&answer, 1, patience);
}

static void give_back(int number) {
    for (int i = 0; i < count; i++) {
        if (signals[i] == number) sigaction(number, &before[i], NULL);
    }
}

static void trapped(int number, siginfo_t *info, void *context) {
    (void)context;
    int error = errno;
    if (!replaces_page(number, info)) {
        // A child that was just forked shares this memory and has its own thread.
        if (flight && is_trap(number, info) && this_thread() == watched && flight->mark) {
            flight->signal = (uint32_t)number;
            call_and_wait();
        }
        // The backtrace handler returns to a trap, which is raised again. A watchdog's signal would not be.
        if (is_watchdog(number, info)) signal(number, SIG_DFL); else give_back(number);
        // The signal is blocked until this handler returns.
        if (!comes_again(number, info)) raise(number);
    }
    errno = error;
}

// An overflowed stack cannot run the handler, so it has its own stack with a guard below.
static int make_stack(void) {
    char *memory = mmap(NULL, guard_size + stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return errno;
    stack_t stack = {.ss_sp = memory + guard_size, .ss_size = stack_size};
    if (mprotect(memory, guard_size, PROT_NONE) == 0 && sigaltstack(&stack, NULL) == 0) return 0;
    int error = errno;
    munmap(memory, guard_size + stack_size);
    return error;
}

void gamed_trap_watchdog(void) { has_watchdog = 1; }

int gamed_trap_watch(struct gamed_flight *place, size_t size) {
    int error = make_stack();
    if (error) return error;
    flight = place;
    mapped = size;
    watched = this_thread();
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigfillset(&action.sa_mask);
    for (int i = 0; i < count; i++) sigaction(signals[i], &action, &before[i]);
    return 0;
}

void gamed_trap_move(struct gamed_flight *place) {
    struct gamed_flight *old = flight;
    if (!old) return;
    place->mark = old->mark;
    flight = place;
    munmap(old, mapped);
}

void gamed_trap_call(int call, int answer, int milliseconds) {
    answers = answer;
    patience = milliseconds;
    calls = call;
}

void gamed_trap_ignore(void) {
    calls = -1;
    if (!flight) return;
    for (int i = 0; i < count; i++) sigaction(signals[i], &before[i], NULL);
    flight = NULL;
}
