// The UNIX socket: made, guarded, and cleared away.

import CEvent
import Glibc

/// Why nobody can be listened to at a path.
public struct ListenerError: Error, CustomStringConvertible {
    public let description: String
}

/// Listens on a UNIX socket and hands over whoever connects. The socket's file goes when the listener does.
public final class UnixListener {
    private let path: String
    private let descriptor: Descriptor
    private var watch: DescriptorWatch?

    /// A file left behind by a daemon that is gone is replaced; one that somebody listens at never is.
    public init(path: String) throws(ListenerError) {
        self.path = path
        let address = try UnixAddress(path: path)
        try Self.makeRoom(at: path, address)
        descriptor = try Self.bound(to: address, path: path)
        // Before anybody can connect: owner and group at the most.
        guard chmod(path, 0o660) == 0, listen(descriptor.number, SOMAXCONN) == 0 else {
            let error = Self.failure("cannot listen at", path)
            unlink(path)
            throw error
        }
    }

    deinit {
        watch = nil
        unlink(path)
    }

    /// From now on hands each new connection's descriptor, which is then the callee's, to `connected`.
    func start(on loop: Loop, connected: @escaping (consuming Descriptor) -> Void) throws(LoopFailure) {
        let watch = try DescriptorWatch(descriptor.number, .readable, on: loop) { [unowned self] in
            acceptAll(connected)
        }
        try watch.start()
        self.watch = watch
    }

    /// Takes up accepting again, after it had to stop for want of descriptors.
    func resume() {
        guard let watch, !watch.isActive else { return }
        // If even this fails, the next one who goes brings us here again.
        try? watch.start()
    }

    private func acceptAll(_ connected: (consuming Descriptor) -> Void) {
        while let peer = Descriptor(accept(descriptor.number, nil, nil)) {
            evutil_make_socket_nonblocking(peer.number)
            evutil_make_socket_closeonexec(peer.number)
            connected(peer)
        }
        // Out of descriptors, whoever waits would wake us over and over.
        if errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS { watch?.stop() }
    }

    private static func makeRoom(at path: String, _ address: UnixAddress) throws(ListenerError) {
        try makeDirectory(above: path)
        var info = stat()
        guard lstat(path, &info) == 0 else { return }
        guard info.st_mode & S_IFMT == S_IFSOCK else {
            throw ListenerError(description: "\(path) exists and is not a socket; choose another path with --socket")
        }
        guard !somebodyListens(at: address) else {
            throw ListenerError(
                description: "another gamed listens at \(path) already; stop it, or choose another path with --socket")
        }
        unlink(path)
    }

    private static func makeDirectory(above path: String) throws(ListenerError) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let directory = String(path[..<slash])
        guard access(directory, F_OK) != 0 else { return }
        let mode: mode_t = geteuid() == 0 ? 0o755 : 0o700
        guard mkdir(directory, mode) == 0 || errno == EEXIST else { throw failure("cannot make the folder", directory) }
    }

    private static func somebodyListens(at address: UnixAddress) -> Bool {
        guard let probe = Descriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)) else { return true }
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

/// A UNIX socket's address as the system calls want it.
private struct UnixAddress {
    private var address = sockaddr_un()

    init(path: String) throws(ListenerError) {
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard bytes.count <= room, !bytes.contains(0) else {
            throw ListenerError(
                description: "the socket's path is \(bytes.count) bytes long; the system takes \(room) at the most: \(path)")
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    }

    func withPointer(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
    }
}
