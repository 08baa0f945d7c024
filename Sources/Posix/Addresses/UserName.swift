// Users and groups of the system, by number and by name. It may ask a directory service, so the answer is worth keeping.

import Glibc

/// The name of a user; nil if the system knows none.
package func userName(of user: uid_t) -> String? {
    withEntry(passwd()) {
        getpwuid_r(user, $0, $1, $2, $3)
    } read: {
        $0.pw_name.map { String(cString: $0) }
    }
}

/// The number of a user, by name or written as a number; nil if the system knows none of that name.
package func userNumber(of name: String) -> uid_t? {
    withEntry(passwd()) {
        getpwnam_r(name, $0, $1, $2, $3)
    } read: {
        $0.pw_uid
    } ?? number(name)
}

/// The group that a user has by itself; nil if the system knows no such user.
package func primaryGroup(of user: uid_t) -> gid_t? {
    withEntry(passwd()) {
        getpwuid_r(user, $0, $1, $2, $3)
    } read: {
        $0.pw_gid
    }
}

/// The number of a group, by name or written as a number; nil if the system knows none of that name.
package func groupNumber(of name: String) -> gid_t? {
    withEntry(group()) {
        getgrnam_r(name, $0, $1, $2, $3)
    } read: {
        $0.gr_gid
    } ?? number(name)
}

/// The name of a group; nil if the system knows none.
package func groupName(of number: gid_t) -> String? {
    withEntry(group()) {
        getgrgid_r(number, $0, $1, $2, $3)
    } read: {
        $0.gr_name.map { String(cString: $0) }
    }
}

/// Digits alone. The largest number is no user: the system reads it as "as it is".
private func number(_ text: String) -> UInt32? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt32(text), number != .max else { return nil }
    return number
}

/// Looks an entry up, with as much room as it needs.
private func withEntry<Entry, Result>(
    _ empty: Entry,
    _ find: (
        UnsafeMutablePointer<Entry>, UnsafeMutablePointer<CChar>, Int, UnsafeMutablePointer<UnsafeMutablePointer<Entry>?>
    ) -> Int32,
    read: (Entry) -> Result?
) -> Result? {
    for size in [4 << 10, 64 << 10, 1 << 20] {
        var entry = empty
        var found: UnsafeMutablePointer<Entry>?
        // The entry found refers to the texts.
        let (status, result): (Int32, Result?) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { texts in
            guard let room = texts.baseAddress else { return (ERANGE, nil) }
            let status = find(&entry, room, size, &found)
            return (status, status == 0 ? found.flatMap { read($0.pointee) } : nil)
        }
        guard status == ERANGE else { return result }
    }
    return nil
}
