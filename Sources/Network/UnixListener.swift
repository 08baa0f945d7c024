// The UNIX socket: its file, its permissions, and its removal.

import Commands
import EventLoop
import Glibc
import Posix
import Logging

/// Listens on a UNIX socket and hands over each connection. Removes the socket's file when it stops.
package final class UnixListener: Listener {
    private var isListening = true
    /// Identifies the socket's file: it may have been replaced by another since.
    private let file: FileIdentity?

    /// Replaces a socket file that a dead daemon left behind, never one that a daemon listens at.
    package init(
        path: String, letting others: LocalAccess = LocalAccess(), log: Log, connected: @escaping ConnectionHandler
    ) throws(ListenerError) {
        let address = try Self.address(path)
        try Self.makeDirectory(above: path, isForOthers: !others.isEmpty)
        if try Self.checkRoom(at: path, address) { unlink(path) }
        let descriptor = try Self.bound(to: address, path: path)
        file = Self.file(at: path)
        super.init(descriptor, at: path, isActivated: false, .unix, log: log, connected: connected)
        // Done before clients can connect: the socket is open to owner and group at most. A symbolic link in its place is not followed.
        guard fchmodat(AT_FDCWD, path, 0o660, AT_SYMLINK_NOFOLLOW) == 0, listen(self.descriptor.number, SOMAXCONN) == 0 else {
            let error = Self.failure("cannot listen at", path)
            unlink(path)
            throw error
        }
        if !others.isEmpty { open(to: others) }
    }

    /// A socket that the service manager has opened. It has also made the file, and removes it.
    package init(
        activated descriptor: consuming Descriptor, path: String, letting others: LocalAccess = LocalAccess(), log: Log,
        connected: @escaping ConnectionHandler
    ) {
        file = Self.file(at: path)
        super.init(descriptor, at: path, isActivated: true, .unix, log: log, connected: connected)
        open(to: others)
    }

    /// Lets others than owner and group open the file.
    package func open(to others: LocalAccess) {
        guard isListening, file != nil, Self.file(at: path) == file else { return }
        if isActivated { add(others) } else { giveAway(to: others) }
    }

    /// Our own file: one group gets it as its own, more than that need an access list. Never everybody.
    private func giveAway(to others: LocalAccess) {
        let list = AccessList(users: Array(others.users.keys), groups: Array(others.groups.keys))
        if others.users.isEmpty, others.groupsInOrder.count <= 1 {
            _ = AccessList(users: [], groups: []).apply(to: path)
            let group = others.groupsInOrder.first ?? getegid()
            if lchown(path, uid_t.max, group) == 0 { return }
        }
        guard !others.isEmpty, let error = list.apply(to: path) else { return }
        warn(error, "set its group to theirs, or put it where files have access lists")
    }

    /// The service manager's file: its owner and group stay, with their permissions. A list adds the others, unless the mode
    /// admits them.
    private func add(_ others: LocalAccess) {
        guard let permissions = AccessList.Permissions.current(of: path) else { return }
        var (users, groups) = (Array(others.users.keys), Array(others.groups.keys))
        if isOpen(with: permissions, to: others) { (users, groups) = ([], []) }
        let needsList = !users.isEmpty || !groups.isEmpty
        guard needsList || AccessList.exists(at: path) else { return }
        let error = AccessList(users: users, groups: groups, besides: permissions).apply(to: path)
        if let error, needsList { warn(error, "set SocketUser=, SocketGroup= and SocketMode= in its unit") }
    }

    /// Whether the mode lets all of them write to the file, which connecting requires.
    private func isOpen(with permissions: AccessList.Permissions, to others: LocalAccess) -> Bool {
        guard let info = FileStatus(at: path, followingLinks: false) else { return false }
        let isOpenToGroup =
            permissions.group & 2 != 0 && others.users.isEmpty && others.groups.keys.allSatisfy { $0 == info.st_gid }
        return permissions.everyone & 2 != 0 || isOpenToGroup
    }

    private func warn(_ error: Int32, _ advice: String) {
        log.warning("allowed users and groups cannot open \(path): \(systemErrorText(error)); \(advice)")
    }

    deinit {
        stop()
    }

    package override func stop() {
        guard isListening else { return }
        isListening = false
        if !isActivated, Self.file(at: path) == file { unlink(path) }
        super.stop()
    }

    private var path: String { address }

    /// Whether it could listen there, found out without doing it.
    package static func check(path: String) throws(ListenerError) {
        let address = try Self.address(path)
        try checkDirectory(above: path)
        try checkRoom(at: path, address)
    }

    private static func address(_ path: String) throws(ListenerError) -> UnixAddress {
        do throws(UsageError) {
            return try UnixAddress(path: path)
        } catch {
            throw ListenerError(description: error.description)
        }
    }

    private static func file(at path: String) -> FileIdentity? { FileStatus(at: path, followingLinks: false)?.identity }

    /// Whether there is a stale socket file; throws if the file must not be replaced.
    @discardableResult
    private static func checkRoom(at path: String, _ address: UnixAddress) throws(ListenerError) -> Bool {
        guard let info = FileStatus(at: path, followingLinks: false) else { return false }
        guard info.isSocket else {
            throw ListenerError(description: "\(path) exists and is not a socket; choose another path with --socket")
        }
        guard !isListenerPresent(at: address) else {
            throw ListenerError(
                description: "another daemon listens at \(path) already; stop it, or choose another path with --socket",
                isInUse: true)
        }
        return true
    }

    private static func directory(above path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return String(path[..<slash])
    }

    private static func makeDirectory(above path: String, isForOthers: Bool) throws(ListenerError) {
        guard let directory = directory(above: path) else { return }
        guard access(directory, F_OK) != 0 else { return try checkOwner(of: directory, path) }
        let mode: mode_t = geteuid() == 0 || isForOthers ? 0o755 : 0o700
        guard mkdir(directory, mode) == 0 || errno == EEXIST else { throw failure("cannot create the directory", directory) }
    }

    /// The default folder may lie in /tmp, where any user can create it: then it must be ours.
    private static func checkOwner(of directory: String, _ path: String) throws(ListenerError) {
        guard geteuid() != 0, path == DefaultPaths.socket, let info = FileStatus(at: directory, followingLinks: false) else {
            return
        }
        guard info.isDirectory, info.st_uid == geteuid() else {
            throw ListenerError(
                description: "the directory \(directory) is owned by another user; choose another path with --socket")
        }
    }

    private static func checkDirectory(above path: String) throws(ListenerError) {
        guard let directory = directory(above: path) else { return }
        if access(directory, F_OK) == 0 {
            try checkOwner(of: directory, path)
            guard access(directory, W_OK | X_OK) == 0 else { throw failure("cannot create a socket in", directory) }
        } else {
            guard access(self.directory(above: directory) ?? "/", W_OK | X_OK) == 0 else {
                throw failure("cannot create the directory", directory)
            }
        }
    }

    private static func isListenerPresent(at address: UnixAddress) -> Bool {
        // Nonblocking: a daemon that does not accept listens all the same.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard let probe = Descriptor(socket(AF_UNIX, kind, 0)) else { return true }
        return address.withPointer { connect(probe.number, $0, $1) } == 0 || errno != ECONNREFUSED
    }

    private static func bound(to address: UnixAddress, path: String) throws(ListenerError) -> Descriptor {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard let descriptor = Descriptor(socket(AF_UNIX, kind, 0)),
            address.withPointer({ bind(descriptor.number, $0, $1) }) == 0
        else { throw failure("cannot listen at", path) }
        return descriptor
    }

    private static func failure(_ what: String, _ path: String) -> ListenerError {
        ListenerError(description: "\(what) \(path): \(systemErrorText(errno))")
    }
}
