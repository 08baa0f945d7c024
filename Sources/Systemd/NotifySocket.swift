// Tells systemd the service's status: one datagram of text. sd_notify does only that, and libsystemd would bring 1.5 MB with three libraries
// for compression and encryption.

import Glibc
import Posix

package final class NotifySocket: Sendable {
    private let address: UnixAddress
    private let descriptor: Descriptor

    /// `place` is a path, or `@` and a name. Nil for another kind of place.
    package init?(_ place: String) {
        guard let address = Self.address(place),
            let descriptor = Descriptor(socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        else { return nil }
        self.address = address
        self.descriptor = descriptor
    }

    private static func address(_ place: String) -> UnixAddress? {
        if place.hasPrefix("@") { return try? UnixAddress(abstract: String(place.dropFirst())) }
        return place.hasPrefix("/") ? try? UnixAddress(path: place) : nil
    }

    /// Never waits. False if it can be tried again later, since systemd is behind with reading.
    @discardableResult
    package func send(_ message: String) -> Bool {
        let bytes = Array(message.utf8)
        while true {
            let count = address.withPointer {
                sendto(descriptor.number, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), $0, $1)
            }
            guard count < 0, errno == EINTR else { return count >= 0 || errno != EAGAIN && errno != ENOBUFS }
        }
    }
}
