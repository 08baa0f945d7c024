// The sockets that systemd has opened for the service: LISTEN_FDS many, from descriptor 3 on.

import Glibc
import Posix

package enum ActivatedSockets {
    private static let first: Int32 = 3
    private static let maxCount = 100

    /// None if there are none, or if they are another process's. Every one is closed if one is wrong.
    package static func read(
        _ value: (String) -> String?, from first: Int32 = Self.first
    ) throws(ActivationError) -> [ActivatedSocket] {
        guard let process = value("LISTEN_PID"), Int32(process) == getpid(), let counted = value("LISTEN_FDS") else {
            return []
        }
        guard let count = Int32(counted), (0...Int32(maxCount)).contains(count) else { throw .unreadable(counted) }
        let names = (value("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        var sockets: [ActivatedSocket] = []
        for index in 0..<Int(count) {
            let number = first + Int32(index)
            guard fcntl(number, F_GETFD) >= 0, let descriptor = Descriptor(number) else { throw .notOpen(number) }
            sockets.append(try ActivatedSocket(descriptor, named: index < names.count ? names[index] : "unknown"))
        }
        guard sockets.count(where: { $0.role == .http }) <= 1 else { throw .twice(.http) }
        return sockets
    }
}
