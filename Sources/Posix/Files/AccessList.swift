// The access list of a file: users and groups, besides its owner and its group, with permission to read and write it.

import CLinux
import Glibc

package struct AccessList {
    /// Permissions of a file's owner, group and everyone else, as octal digits of a mode. Named users and groups are apart.
    package struct Permissions: Equatable {
        package let owner: UInt16
        package let group: UInt16
        package let everyone: UInt16

        /// Read and write for the owner and the group, and nothing for everyone else.
        package static let private660 = Permissions(owner: 6, group: 6, everyone: 0)

        /// Of a file; nil without one.
        package static func current(of path: String) -> Permissions? {
            guard let info = FileStatus(at: path, followingLinks: false) else { return nil }
            let mode = UInt16(info.st_mode & 0o777)
            // With a list, the mode has the bound of the group and the named ones in place of the group's permissions. chmod
            // changes the bound alone.
            let listed = AccessList.entries(of: path).first { $0.kind == Kind.group }?.permissions ?? 7
            return Permissions(owner: mode >> 6, group: listed & mode >> 3, everyone: mode & 7)
        }
    }

    struct Entry: Equatable {
        let kind: UInt16
        let permissions: UInt16
        /// Of a named user or group.
        var number = UInt32.max
    }

    private enum Kind {
        static let (owner, user, group, namedGroup) = (UInt16(0x01), UInt16(0x02), UInt16(0x04), UInt16(0x08))
        static let (mask, everyone) = (UInt16(0x10), UInt16(0x20))
    }

    private static let attribute = "system.posix_acl_access"
    private static let readAndWrite: UInt16 = 6
    /// Bytes of the version and of an entry.
    private static let (head, size) = (4, 8)

    private let entries: [Entry]

    /// Users and groups that may read and write a file, besides those who have `permissions`.
    package init(users: [uid_t], groups: [gid_t], besides permissions: Permissions = .private660) {
        var entries = [Entry(kind: Kind.owner, permissions: permissions.owner)]
        entries += users.sorted().map { Entry(kind: Kind.user, permissions: Self.readAndWrite, number: $0) }
        entries.append(Entry(kind: Kind.group, permissions: permissions.group))
        entries += groups.sorted().map { Entry(kind: Kind.namedGroup, permissions: Self.readAndWrite, number: $0) }
        // Without named ones the list is a mode, and Linux stores it as such.
        if entries.count > 2 { entries.append(Entry(kind: Kind.mask, permissions: Self.readAndWrite | permissions.group)) }
        self.entries = entries + [Entry(kind: Kind.everyone, permissions: permissions.everyone)]
    }

    /// Replaces the file's list and mode. Does not follow a link. Returns nil on success, otherwise the error's number.
    package func apply(to path: String) -> Int32? {
        let bytes = bytes
        return lsetxattr(path, Self.attribute, bytes, bytes.count, 0) == 0 ? nil : errno
    }

    /// Whether the file has a list, and not just a mode.
    package static func exists(at path: String) -> Bool { lgetxattr(path, attribute, nil, 0) > 0 }

    /// The list of a file; empty if it has just a mode.
    static func entries(of path: String) -> [Entry] {
        var bytes = [UInt8](repeating: 0, count: max(0, lgetxattr(path, attribute, nil, 0)))
        guard lgetxattr(path, attribute, &bytes, bytes.count) == bytes.count else { return [] }
        return stride(from: head, through: bytes.count - size, by: size).map { start in
            let parts = (number(bytes[start..<start + 4]), number(bytes[start + 4..<start + size]))
            return Entry(
                kind: UInt16(truncatingIfNeeded: parts.0), permissions: UInt16(truncatingIfNeeded: parts.0 >> 16),
                number: parts.1)
        }
    }

    /// As the kernel takes it: a version, and for each entry its kind, its permissions and its number, in little-endian order.
    private var bytes: [UInt8] {
        var bytes = Self.bytes(UInt32(2))
        for entry in entries { bytes += Self.bytes(entry.kind) + Self.bytes(entry.permissions) + Self.bytes(entry.number) }
        return bytes
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
}
