// How long something takes, however busy others keep the machine.

import Glibc

/// The processor's time that this thread takes for it.
package func ownTime<Failure: Error>(of body: () throws(Failure) -> Void) throws(Failure) -> Duration {
    let began = ownTime()
    try body()
    return ownTime() - began
}

private func ownTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
