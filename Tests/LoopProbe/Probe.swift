// One connection to the daemon, and the longest wait on it.

import Glibc

struct Probe {
    /// Both in nanoseconds: how long it was, and when it began, counted from the first request.
    struct Wait {
        var time = 0
        var at = 0
    }

    private let loop: ProbedThread
    private let own: ProbedThread
    private let path: String
    private let process: Int32
    private var connection: Int32 = -1
    private var began: Int?
    private(set) var maxLength = Wait()
    /// Requests that were served.
    private(set) var count = 0

    init(_ loop: ProbedThread, _ own: ProbedThread, socket path: String, _ process: Int32) {
        (self.loop, self.own, self.path, self.process) = (loop, own, path, process)
    }

    /// Sends one request and waits for its reply. Connects if there is no connection; if that fails, the next call tries again.
    mutating func send() {
        if connection < 0 { connection = connect() }
        guard connection >= 0 else { return }
        guard let wait = measure() else {
            close(connection)
            connection = -1
            return
        }
        count += 1
        if wait.time > maxLength.time { maxLength = wait }
    }

    /// Returns nil if the daemon has closed the connection.
    ///
    /// The loop's time is read after the request was sent, so what came before does not count. Between the reply and the second reading,
    /// the loop can serve others while this process waits for a processor: that time is subtracted. No wait takes longer than by the
    /// wall's clock. All three make a wait shorter than it was, never longer, but for a tick of the kernel's clock.
    private func measure() -> Wait? {
        let start = now
        guard write(), let before = loop.read(), let ownBefore = own.read() else { return nil }
        guard receive() else { return nil }
        guard let after = loop.read(), let ownAfter = own.read() else { return nil }
        let ran = after.ran - before.ran - (ownAfter.waited - ownBefore.waited)
        return Wait(time: max(0, min(ran, now - start)), at: start - (began ?? start))
    }

    private func write() -> Bool {
        let request = Array("PING\r\n".utf8)
        return Glibc.send(connection, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
    }

    /// One line. It may be an error: that is served, too.
    private func receive() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 512)
        var last: UInt8 = 0
        while last != UInt8(ascii: "\n") {
            let count = recv(connection, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR || errno == EAGAIN, isEnding == 0 { continue }
            guard count > 0 else { return false }
            last = bytes[count - 1]
        }
        return true
    }

    private mutating func connect() -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return -1 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return -1 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let status = withUnsafeBytes(of: &address) {
            Glibc.connect(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
        guard status == 0, isOfTheDaemon(descriptor) else {
            close(descriptor)
            return -1
        }
        // A signal that comes right before `recv` does not interrupt it.
        var timeout = timeval(tv_sec: 0, tv_usec: 200_000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        began = began ?? now
        return descriptor
    }

    /// Another daemon may listen at the same path.
    private func isOfTheDaemon(_ descriptor: Int32) -> Bool {
        // `struct ucred`: process, user and group.
        var peer: [Int32] = [0, 0, 0]
        var length = socklen_t(3 * MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer[0] == process
    }

    private var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
