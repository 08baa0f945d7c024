// A machine whose disk fails and whose clocks jump on demand. Preloaded into a process, it lets writing and syncing below one
// directory fail or wait as its control file says, counts the syncs, and keeps a shadow of what would be left after a loss of power:
// each file as it was when it was last synced. The clocks are those that outlast a process; GAMED_FAULTS_BOOT is read as the number
// of this start of the machine.
//
//     GAMED_FAULTS_UNDER=DIR  GAMED_FAULTS_CONTROL=FILE  [GAMED_FAULTS_SHADOW=DIR]  [GAMED_FAULTS_BOOT=FILE]
//
// The control file is mapped, so that a test can change it while the process runs.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct control {
    int32_t write_error;   // errno of writing and truncating; 0 is none
    int32_t sync_error;    // errno of syncing
    int32_t failures_left; // how many calls still fail; below 0 is all of them
    int32_t only_log;      // 1: only files whose name ends in "-wal"
    int64_t syncs;         // how many have succeeded
    int64_t log_bytes;     // written to files whose name ends in "-wal"
    int64_t wall_shift;    // seconds by which CLOCK_REALTIME is off
    int64_t boot_shift;    // seconds by which CLOCK_BOOTTIME is off
    volatile int32_t blocked; // 1: writing and syncing wait until this is 0
    int32_t link_error;    // errno of giving a file a second name; or 0
};

static struct control *control;
static const char *under, *shadow, *boot;
static char renamed[8][2][PATH_MAX];
static int renames;

#define REAL(name, type, ...) ((type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void prepare(void) {
    under = getenv("GAMED_FAULTS_UNDER");
    shadow = getenv("GAMED_FAULTS_SHADOW");
    boot = getenv("GAMED_FAULTS_BOOT");
    const char *path = getenv("GAMED_FAULTS_CONTROL");
    int descriptor = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0) return;
    void *memory = mmap(0, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (memory != MAP_FAILED) control = memory;
}

static int path_of(int descriptor, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (!control || !under || length < 0) return 0;
    path[length] = 0;
    return strncmp(path, under, strlen(under)) == 0;
}

static int is_log(const char *path) {
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, "-wal") == 0;
}

static int fails(const char *path, int error) {
    while (control->blocked) usleep(1000);
    if (!error || control->failures_left == 0 || (control->only_log && !is_log(path))) return 0;
    if (control->failures_left > 0) control->failures_left--;
    errno = error;
    return 1;
}

static ssize_t written(int descriptor, size_t count) {
    char path[PATH_MAX];
    if (!path_of(descriptor, path)) return 0;
    if (fails(path, control->write_error)) return -1;
    if (is_log(path)) control->log_bytes += count;
    return 0;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    return written(descriptor, count) < 0 ? -1 : REAL(write, ssize_t, int, const void *, size_t)(descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return written(descriptor, count) < 0 ? -1 : REAL(pwrite, ssize_t, int, const void *, size_t, off_t)(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    return written(descriptor, count) < 0 ? -1
        : REAL(pwrite64, ssize_t, int, const void *, size_t, off64_t)(descriptor, bytes, count, offset);
}

int ftruncate(int descriptor, off_t length) {
    return written(descriptor, 0) < 0 ? -1 : REAL(ftruncate, int, int, off_t)(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
    return written(descriptor, 0) < 0 ? -1 : REAL(ftruncate64, int, int, off64_t)(descriptor, length);
}

// A new name is there after a loss of power once its directory has been synced.
int rename(const char *from, const char *to) {
    int result = REAL(rename, int, const char *, const char *)(from, to);
    if (result == 0 && shadow && under && strncmp(to, under, strlen(under)) == 0 && renames < 8) {
        snprintf(renamed[renames][0], PATH_MAX, "%s%s", shadow, strrchr(from, '/'));
        snprintf(renamed[renames][1], PATH_MAX, "%s%s", shadow, strrchr(to, '/'));
        renames++;
    }
    return result;
}

static int is_boot_id(const char *path) { return boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0; }

int link(const char *from, const char *to) {
    if (control && control->link_error) {
        errno = control->link_error;
        return -1;
    }
    return REAL(link, int, const char *, const char *)(from, to);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    return REAL(open, int, const char *, int, ...)(is_boot_id(path) ? boot : path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    return REAL(open64, int, const char *, int, ...)(is_boot_id(path) ? boot : path, flags, mode);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = REAL(clock_gettime, int, clockid_t, struct timespec *);
    int result = real(clock, time);
    if (result != 0 || !control) return result;
    int64_t shift = clock == CLOCK_REALTIME ? control->wall_shift : clock == CLOCK_BOOTTIME ? control->boot_shift : 0;
    time->tv_sec += shift;
    return 0;
}

static void keep_shadow(int descriptor, const char *path) {
    struct stat status;
    if (!shadow || fstat(descriptor, &status) != 0) return;
    if (S_ISDIR(status.st_mode)) {
        for (int index = 0; index < renames; index++)
            REAL(rename, int, const char *, const char *)(renamed[index][0], renamed[index][1]);
        renames = 0;
        return;
    }
    char copy[PATH_MAX + 256], buffer[1 << 16];
    snprintf(copy, sizeof copy, "%s%s", shadow, strrchr(path, '/'));
    // Through the same descriptor: closing another one would give up the process's locks on the file.
    int target = open(copy, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t count;
    for (off_t offset = 0; target >= 0 && (count = pread(descriptor, buffer, sizeof buffer, offset)) > 0; offset += count)
        if (REAL(write, ssize_t, int, const void *, size_t)(target, buffer, count) != count) abort();
    if (target >= 0) close(target);
}

static int sync_file(int descriptor, int (*real)(int)) {
    char path[PATH_MAX];
    if (!path_of(descriptor, path)) return real(descriptor);
    if (fails(path, control->sync_error)) return -1;
    int result = real(descriptor);
    if (result == 0) {
        control->syncs++;
        keep_shadow(descriptor, path);
    }
    return result;
}

int fsync(int descriptor) { return sync_file(descriptor, REAL(fsync, int, int)); }

int fdatasync(int descriptor) { return sync_file(descriptor, REAL(fdatasync, int, int)); }
