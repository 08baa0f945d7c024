// `--allow-user` and `--allow-group`.

import Commands
import Posix

extension Options {
    mutating func allow(_ value: String, _ kind: LocalAccess.Name.Kind) throws(UsageError) {
        allowed.append(try LocalAccess.Name(value, kind))
    }

    /// Users and groups are one list, from two options.
    mutating func takeAllowed(of new: Options) { (allowed, localAccess) = (new.allowed, new.localAccess) }

    /// Finds the users and groups. May ask a directory service. `fail` is told of each that the system does not know, with its setting.
    mutating func lookUpAllowed(_ fail: (_ key: String, _ value: String, AccessError) -> Void) {
        localAccess = LocalAccess(allowed) { fail("allow-\($0.kind)", $0.text, $1) }
    }
}
