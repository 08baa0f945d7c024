// The operating system's calls that this module needs.

#if canImport(Glibc)
    import Glibc
    private let system = (send: Glibc.send, close: Glibc.close)
#elseif canImport(Musl)
    import Musl
    private let system = (send: Musl.send, close: Musl.close)
#elseif canImport(Darwin)
    import Darwin
    private let system = (send: Darwin.send, close: Darwin.close)
#endif

enum Platform {
    static func close(_ descriptor: Int32) { _ = system.close(descriptor) }

    /// Ends every call that waits on it.
    static func shutDown(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Reads and writes on it wait for as long as it takes.
    static func removeTimeouts(_ descriptor: Int32) {
        var never = timeval(tv_sec: 0, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            _ = setsockopt(descriptor, SOL_SOCKET, option, &never, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// The number of bytes; nil once the connection has ended.
    static func receive(_ descriptor: Int32, into room: UnsafeMutableRawBufferPointer) -> Int? {
        repeated { recv(descriptor, room.baseAddress, room.count, 0) }
    }

    /// The number of bytes; nil once the connection has ended.
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int? {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        return repeated { system.send(descriptor, bytes.baseAddress, bytes.count, flags) }
    }

    /// A signal may interrupt a call.
    private static func repeated(_ call: () -> Int) -> Int? {
        var count = call()
        while count < 0, errno == EINTR { count = call() }
        return count > 0 ? count : nil
    }
}
