import Glibc

/// The process at the other end of a UNIX socket, as the kernel knows it.
package struct PeerIdentity {
    package let process: pid_t
    package let user: uid_t

    /// Nil if the kernel does not say.
    package init?(of descriptor: Int32) {
        // The layout of `struct ucred`, which Swift does not import.
        var credentials: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
        process = credentials.process
        user = credentials.user
    }

    /// Whether the peer is the daemon's own user, or root.
    package var isTrusted: Bool { user == 0 || user == geteuid() }
}
