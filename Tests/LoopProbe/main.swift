// A client of a running daemon that measures how long one client makes the others wait.
//
//     loop-probe PID SOCKET [EVERY]
//
// It sends PING every so many milliseconds (10), until SIGTERM or until the daemon is gone. A wait is the CPU time of the daemon's loop
// thread between the request and its reply: how busy the machine is does not count. At its end it prints the longest wait. Exit status:
// 0 if that is within the bound, 1 if not, 2 if nothing could be measured.

import Glibc
import Slowness

/// No request keeps others waiting for longer. Builds without an optimizer multiply it by `Slowness`.
let bound = 20_000_000

nonisolated(unsafe) var isEnding: sig_atomic_t = 0

func report(_ text: String, status: Int32) -> Never {
    print(text)
    exit(status)
}

let words = CommandLine.arguments
guard words.count >= 3, let process = Int32(words[1]), let every = Int32(words.count > 3 ? words[3] : "10"), every > 0 else {
    report("usage: loop-probe PID SOCKET [EVERY]", status: 2)
}
guard let loop = ProbedThread(process) else { report("process \(words[1]) has no /proc/PID/task/PID/schedstat", status: 2) }
guard let own = ProbedThread(getpid()) else {
    report("this kernel does not count how long threads wait for a processor", status: 2)
}

var action = sigaction()
action.__sigaction_handler.sa_handler = { _ in isEnding = 1 }
// Without SA_RESTART, so that it interrupts what waits.
sigaction(SIGTERM, &action, nil)
// Threads that start programs may have blocked it.
var mask = sigset_t()
sigemptyset(&mask)
sigaddset(&mask, SIGTERM)
sigprocmask(SIG_UNBLOCK, &mask, nil)
signal(SIGPIPE, SIG_IGN)

var probe = Probe(loop, own, socket: words[2], process)
while isEnding == 0, loop.isAlive {
    probe.send()
    usleep(useconds_t(every) * 1_000)
}

let wait = probe.maxLength
let text = "longest wait \(milliseconds(wait.time)) of \(probe.count)"
guard probe.count > 0, wait.time > bound else { report(text, status: 0) }
#if DEBUG
    let factor = Slowness.measure()
#else
    let factor = 1.0
#endif
let scaled = Int(Double(bound) * factor)
let about = "\(text), \(milliseconds(wait.at)) after the first; the bound is \(milliseconds(bound)) times \(factor)"
report(about, status: wait.time > scaled ? 1 : 0)

func milliseconds(_ nanoseconds: Int) -> String { "\(nanoseconds / 1_000_000).\(nanoseconds / 100_000 % 10) ms" }
