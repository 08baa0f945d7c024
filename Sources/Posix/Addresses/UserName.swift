import Glibc

/// The name of a user; nil if the system knows none. It may ask a directory service, so the answer is worth keeping.
package func userName(of user: uid_t) -> String? {
    var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { texts in
        guard let room = texts.baseAddress, getpwuid_r(user, &entry, room, texts.count, &found) == 0, found != nil else {
            return nil
        }
        return entry.pw_name.map { String(cString: $0) }
    }
}
