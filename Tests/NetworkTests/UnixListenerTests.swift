// The check of a socket's path before gamed listens there, and the permissions of a socket's file that systemd has made.

import Commands
import Foundation
import Logging
import Testing
@testable import Network
@testable import Posix

@Suite struct `The path of a socket` {
    @Test(.timeLimit(.minutes(1)))
    func `A socket path whose listener accepts nothing is in use, and probing it does not block`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "deaf-\(UUID().uuidString.prefix(8)).sock").path
        let address = try UnixAddress(path: path)
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let deaf = socket(AF_UNIX, kind, 0)
        defer {
            close(deaf)
            unlink(path)
        }
        try #require(address.withPointer { bind(deaf, $0, $1) } == 0 && listen(deaf, 0) == 0)
        // Until its queue is full.
        var callers: [Int32] = []
        defer { for caller in callers { close(caller) } }
        repeat {
            callers.append(socket(AF_UNIX, kind, 0))
        } while address.withPointer { connect(callers[callers.count - 1], $0, $1) } == 0
        let error = #expect(throws: ListenerError.self) { try UnixListener.check(path: path) }
        #expect(error?.description.hasPrefix("another daemon listens at \(path) already") == true)
    }
}

@Suite struct `The file of a socket that the service manager has opened` {
    private let path = FileManager.default.temporaryDirectory.appending(path: "given-\(UUID().uuidString.prefix(8)).sock").path

    /// Listens as the service manager does, with a file of this mode.
    private func given(_ mode: mode_t) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let address = try UnixAddress(path: path)
        try #require(address.withPointer { bind(descriptor, $0, $1) } == 0 && listen(descriptor, 1) == 0)
        try #require(chmod(path, mode) == 0)
        return descriptor
    }

    private func listener(_ descriptor: Int32, letting others: LocalAccess) throws -> UnixListener {
        guard let descriptor = Descriptor(descriptor) else { throw ListenerError(description: "no descriptor") }
        return UnixListener(activated: descriptor, path: path, letting: others, log: .silent) { _, _ in }
    }

    private func access(users: [String] = [], groups: [String] = []) throws -> LocalAccess {
        try LocalAccess(users.map { try .init($0, .user) } + groups.map { try .init($0, .group) }) { throw $1 }
    }

    private var mode: mode_t {
        var info = stat()
        return stat(path, &info) == 0 ? info.st_mode & 0o777 : 0
    }

    private typealias Entry = AccessList.Entry

    @Test func `The file admits allowed users and groups besides those of its mode, until they are allowed no more`() throws {
        defer { unlink(path) }
        let listener = try listener(given(0o640), letting: access(users: ["4002", "4001"], groups: ["4100"]))
        let own = [Entry(kind: 1, permissions: 6), Entry(kind: 4, permissions: 4), Entry(kind: 0x20, permissions: 0)]
        let user = { Entry(kind: 2, permissions: 6, number: $0) }
        let group = { Entry(kind: 8, permissions: 6, number: $0) }
        let mask = Entry(kind: 0x10, permissions: 6)
        #expect(AccessList.entries(of: path) == [own[0], user(4_001), user(4_002), own[1], group(4_100), mask, own[2]])
        listener.open(to: try access(groups: ["4200"]))
        #expect(AccessList.entries(of: path) == [own[0], own[1], group(4_200), mask, own[2]])
        listener.open(to: LocalAccess())
        #expect(!AccessList.exists(at: path) && mode == 0o640)
        listener.stop()
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `The file gets no access list if its mode admits the allowed users and groups`() throws {
        defer { unlink(path) }
        let group = "\(getegid())"
        let listener = try listener(given(0o660), letting: access(groups: [group]))
        #expect(!AccessList.exists(at: path) && mode == 0o660)
        listener.open(to: try access(groups: [group, "4100"]))
        #expect(AccessList.exists(at: path))
        listener.open(to: try access(groups: [group]))
        #expect(!AccessList.exists(at: path) && mode == 0o660)
        try #require(chmod(path, 0o666) == 0)
        listener.open(to: try access(users: ["4001"]))
        #expect(!AccessList.exists(at: path) && mode == 0o666)
    }

    @Test func `The file's group does not get back permissions that were taken from a file with an access list`() throws {
        defer { unlink(path) }
        let listener = try listener(given(0o660), letting: access(users: ["4001"]))
        try #require(chmod(path, 0o600) == 0)
        listener.open(to: try access(users: ["4001"]))
        #expect(AccessList.Permissions.current(of: path) == .init(owner: 6, group: 0, everyone: 0))
        #expect(AccessList.entries(of: path).contains(Entry(kind: 2, permissions: 6, number: 4_001)) && mode == 0o660)
        listener.open(to: LocalAccess())
        #expect(!AccessList.exists(at: path) && mode == 0o600)
    }

    @Test func `A file in the place of the socket's file keeps its permissions`() throws {
        defer { unlink(path) }
        let listener = try listener(given(0o600), letting: LocalAccess())
        try #require(unlink(path) == 0 && FileManager.default.createFile(atPath: path, contents: nil))
        try #require(chmod(path, 0o600) == 0)
        listener.open(to: try access(users: ["4001"]))
        #expect(!AccessList.exists(at: path) && mode == 0o600)
    }
}
