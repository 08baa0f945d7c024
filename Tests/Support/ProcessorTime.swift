// Measures processor time, which a busy machine does not distort.

import Glibc

/// Returns the processor time that this thread spends in `body`.
package func processorTime<Failure: Error>(of body: () throws(Failure) -> Void) throws(Failure) -> Duration {
    let began = processorTime()
    try body()
    return processorTime() - began
}

private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
