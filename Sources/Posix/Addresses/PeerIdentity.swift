// The identity of a UNIX socket's peer.

import CLinux
import Glibc

/// The process at the other end of a UNIX socket, as the kernel knows it.
package struct PeerIdentity {
    package let process: pid_t
    package let user: uid_t
    /// Its own group, and those that it is in besides.
    package let groups: [gid_t]

    /// Nil if the kernel does not provide it.
    package init?(of descriptor: Int32) {
        // The layout of `struct ucred`, which Swift does not import.
        var credentials: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
        process = credentials.process
        user = credentials.user
        groups = [credentials.group] + Self.otherGroups(of: descriptor)
    }

    private static func otherGroups(of descriptor: Int32) -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: 64)
        while true {
            var size = socklen_t(groups.count * MemoryLayout<gid_t>.size)
            if getsockopt(descriptor, SOL_SOCKET, GAMED_SO_PEERGROUPS, &groups, &size) == 0 {
                return Array(groups.prefix(Int(size) / MemoryLayout<gid_t>.size))
            }
            // There are more, and the kernel has returned how many.
            let needed = Int(size) / MemoryLayout<gid_t>.size
            guard errno == ERANGE, needed > groups.count else { return [] }
            groups = [gid_t](repeating: 0, count: needed)
        }
    }

    /// Whether the peer is the daemon's own user, or root.
    package var isTrusted: Bool { user == 0 || user == geteuid() }
}
