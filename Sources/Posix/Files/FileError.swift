import Glibc

/// Why a file cannot be read or written, in a sentence.
package struct FileError: Error, CustomStringConvertible {
    package let description: String
    /// The reason without the path: `Permission denied`.
    package let reason: String

    /// For a call that failed with this number.
    package init(_ what: String, _ path: String, _ number: Int32) {
        // From opening with O_NOFOLLOW.
        let reason = number == ELOOP ? "it is a symbolic link, which is not followed here" : systemErrorText(number)
        self.init(what, path, reason: reason)
    }

    package init(_ what: String, _ path: String, reason: String) {
        self.reason = reason
        description = "cannot \(what) \(path): \(reason)"
    }
}
