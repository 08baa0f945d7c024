// A file that a user has named, which must be a file and not something that never ends.

import CLinux
import Glibc
import Synchronization

package enum PlainFile {
    /// Its bytes. If there are more than `most`, returns the first ones and at least one more, so that the caller can refuse them.
    package static func bytes(_ path: String, atMost most: Int) throws(FileError) -> [UInt8] {
        try PlainFileReader(path).bytes(atMost: most)
    }

    /// The bytes of a file of tokens, certificates or a key; `what` says which in errors. A secret must be out of other users' reach.
    package static func bytes(
        _ path: String, _ what: String, isSecret: Bool = true, atMost most: Int
    ) throws(FileError) -> [UInt8] {
        let name = "the \(what) \(path)"
        let file = try PlainFileReader(path, named: name)
        if isSecret { try checkSecret(file.status, path, name) }
        let bytes = try file.bytes(atMost: most)
        guard bytes.count <= most else { throw FileError(name, "is larger than \(most >> 20) MB") }
        return bytes
    }

    private static func checkSecret(_ status: stat, _ path: String, _ name: String) throws(FileError) {
        guard status.st_mode & 0o007 == 0 else {
            throw FileError(name, "is accessible to other users; run 'chmod 600 \(path)'")
        }
        guard SecretOwner.mayBe(status.st_uid) else {
            throw FileError(name, "is owned by another user; root or you must own it")
        }
        guard status.st_mode & 0o020 == 0 else {
            throw FileError(name, "is writable by its group; run 'chmod g-w \(path)'")
        }
    }
}

/// The user, beside root, to whom the secrets that this process reads may belong: its own user, unless root's tool works for another one's daemon.
package enum SecretOwner {
    private static let user = Atomic<uid_t>(geteuid())

    fileprivate static func mayBe(_ owner: uid_t) -> Bool { owner == 0 || owner == user.load(ordering: .relaxed) }

    /// For a tool: if root runs it, secrets may belong to the owner of this path. A daemon checks at its start that it owns them.
    package static func trustOwner(of path: String) {
        guard geteuid() == 0, let info = FileStatus(at: path) else { return }
        user.store(info.st_uid, ordering: .relaxed)
    }
}

/// Another user's rights to files, for a tool that root runs on behalf of that user's daemon.
package struct FileUser {
    package let name: String
    private let user: uid_t
    private let group: gid_t
    private let groups: [gid_t]

    /// The owner of this path, such as a process in `/proc`; nil if that is root, or root does not run this tool.
    package init?(owning path: String) {
        guard geteuid() == 0, let info = FileStatus(at: path), info.st_uid != 0 else { return nil }
        let ofProcess = path.hasPrefix("/proc/") ? Self.groups(ofProcess: path) : nil
        user = info.st_uid
        name = userName(of: user) ?? String(user)
        group = ofProcess == nil ? primaryGroup(of: user) ?? info.st_gid : info.st_gid
        groups = ofProcess ?? Self.groups(of: name, group)
    }

    /// Runs `body` with these rights. Other threads must not open files meanwhile.
    package func run<Result>(_ body: () -> Result) -> Result {
        var own = [gid_t](repeating: 0, count: Int(max(getgroups(0, nil), 0)))
        getgroups(Int32(own.count), &own)
        setgroups(groups.count, groups)
        setfsgid(group)
        setfsuid(user)
        defer {
            setfsuid(geteuid())
            setfsgid(getegid())
            setgroups(own.count, own)
        }
        return body()
    }

    /// Nil if they cannot be read.
    private static func groups(ofProcess path: String) -> [gid_t]? {
        guard let bytes = try? PlainFile.bytes(path + "/status", atMost: 64 << 10) else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Groups:") }
        return line?.dropFirst("Groups:".count).split(whereSeparator: \.isWhitespace).compactMap { gid_t($0) }
    }

    private static func groups(of user: String, _ group: gid_t) -> [gid_t] {
        var count: Int32 = 1024
        var groups = [gid_t](repeating: group, count: Int(count))
        return getgrouplist(user, group, &groups, &count) < 0 ? [group] : Array(groups.prefix(Int(count)))
    }
}

/// Reads such a file piece by piece.
package final class PlainFileReader: Sendable {
    /// Its properties when it was opened.
    package let status: stat
    /// As errors name it.
    private let name: String
    private let file: Descriptor

    package init(_ path: String, named name: String? = nil) throws(FileError) {
        self.name = name ?? path
        // Opening a FIFO must not block.
        guard let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) else {
            throw FileError("read", self.name, errno)
        }
        status = try file.plainStatus(self.name)
        self.file = file
    }

    /// The file's size when it was opened.
    package var size: Int { Int(status.st_size) }

    /// The next 64 KiB, or what is left; nil at the end.
    package func next() throws(FileError) -> [UInt8]? {
        var piece: [UInt8] = []
        return try file.append(to: &piece, self.name) ? piece : nil
    }

    fileprivate func bytes(atMost most: Int) throws(FileError) -> [UInt8] {
        var bytes: [UInt8] = []
        // An array that grows would leave copies of a secret behind.
        bytes.reserveCapacity(min(size, most) + Descriptor.pieceBytes)
        while bytes.count <= most, try file.append(to: &bytes, name) {}
        return bytes
    }
}

extension Descriptor {
    fileprivate static let pieceBytes = 64 << 10
    /// Room to read into: appended at once, where repeated elements would be appended one by one.
    private static let blank = [UInt8](repeating: 0, count: pieceBytes)

    /// Appends at most 64 KiB; false at the end. Errors call the file by this name.
    borrowing func append(to bytes: inout [UInt8], _ name: String) throws(FileError) -> Bool {
        let start = bytes.count
        bytes += Self.blank
        var count = 0
        repeat {
            count = bytes.withUnsafeMutableBytes { read(number, $0.baseAddress.map { $0 + start }, Self.pieceBytes) }
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw FileError("read", name, errno) }
        bytes.removeLast(Self.pieceBytes - count)
        return count > 0
    }

    /// The file's properties; throws if it is not a regular file.
    borrowing func plainStatus(_ name: String) throws(FileError) -> stat {
        guard let info = FileStatus(of: number) else { throw FileError("read", name, errno) }
        guard info.isFile else { throw FileError("read", name, reason: "it is not a regular file") }
        return info
    }
}

// MARK: - The contents of a folder that the user has named.

package enum FolderListing {
    /// The names in the folder; nil if there is no such folder.
    package static func names(in path: String) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { place in
                place.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// The path that a link leads to; nil if it cannot be read.
package func linkTarget(_ path: String) -> String? {
    // The system writes no zero at the end.
    var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    return readlink(path, &target, target.count - 1) > 0 ? String(systemText: target) : nil
}

/// Why a file cannot be read or written, in a sentence.
package struct FileError: Error, Equatable, CustomStringConvertible {
    package let description: String
    /// The reason without the path: `Permission denied`.
    package let reason: String
    /// Whether there is no such file.
    package let isMissing: Bool

    /// For a call that failed with this number.
    package init(_ what: String, _ path: String, _ number: Int32) {
        // From opening with O_NOFOLLOW.
        let reason = number == ELOOP ? "it is a symbolic link, which is not followed here" : systemErrorText(number)
        self.init(what, path, reason: reason, isMissing: number == ENOENT)
    }

    package init(_ what: String, _ path: String, reason: String, isMissing: Bool = false) {
        (self.reason, self.isMissing) = (reason, isMissing)
        description = "cannot \(what) \(path): \(reason)"
    }

    /// For a file that may not be used as it is.
    init(_ name: String, _ reason: String) { (self.reason, description, isMissing) = (reason, "\(name) \(reason)", false) }
}

/// The directory that has this file; `.` for a path without a slash.
package func parentDirectory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}
