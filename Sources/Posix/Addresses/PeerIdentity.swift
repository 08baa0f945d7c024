import Glibc

/// Who is at the other end of a UNIX socket, as the system tells.
package struct PeerIdentity {
    package let process: pid_t
    package let user: uid_t

    /// Nil if the system does not say.
    package init?(of descriptor: Int32) {
        // What `struct ucred` is, which Swift does not see.
        var credentials: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
        process = credentials.process
        user = credentials.user
    }

    /// The user who runs the daemon, and root.
    package var isTrusted: Bool { user == 0 || user == geteuid() }
}
