// The access list of a file: users and groups, besides its owner and its group, with permission to read and write it.

import CLinux
import Glibc

package struct AccessList {
    private let users: [uid_t]
    private let groups: [gid_t]

    package init(users: [uid_t], groups: [gid_t]) {
        (self.users, self.groups) = (users.sorted(), groups.sorted())
    }

    /// Gives read and write permission to the owner, the group and the named ones, and to no other user. Does not follow a link. Returns nil on
    /// success, otherwise the error's number.
    package func apply(to path: String) -> Int32? {
        let bytes = bytes
        return lsetxattr(path, "system.posix_acl_access", bytes, bytes.count, 0) == 0 ? nil : errno
    }

    private static let nobody = UInt32.max
    private static let readAndWrite: UInt16 = 6

    /// As the kernel takes it: a version, and for each entry its kind, its rights and its number, in little-endian order.
    private var bytes: [UInt8] {
        var entries: [(kind: UInt16, rights: UInt16, number: UInt32)] = [(0x01, Self.readAndWrite, Self.nobody)]
        entries += users.map { (0x02, Self.readAndWrite, $0) }
        entries.append((0x04, Self.readAndWrite, Self.nobody))
        entries += groups.map { (0x08, Self.readAndWrite, $0) }
        entries += [(0x10, Self.readAndWrite, Self.nobody), (0x20, 0, Self.nobody)]
        var bytes = Self.bytes(UInt32(2))
        for entry in entries { bytes += Self.bytes(entry.kind) + Self.bytes(entry.rights) + Self.bytes(entry.number) }
        return bytes
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        (0..<value.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
