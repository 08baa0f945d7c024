// The operating system's calls that this module needs.

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

enum Platform {
    /// The monotonic clock, which stands still while the machine is suspended.
    static var nanoseconds: Int64 {
        #if canImport(Darwin)
            return Int64(clamping: clock_gettime_nsec_np(CLOCK_UPTIME_RAW))
        #else
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        #endif
    }

    static var thread: UInt {
        #if canImport(Darwin)
            return UInt(bitPattern: pthread_self())
        #else
            return UInt(pthread_self())
        #endif
    }
}
