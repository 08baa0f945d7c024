import Glibc

/// Why a file cannot be read or written, in a sentence.
package struct FileError: Error, CustomStringConvertible {
    package let description: String
    /// The path left out: `Permission denied`.
    package let reason: String

    /// For what has just failed with this number.
    package init(_ what: String, _ path: String, _ number: Int32) {
        // What is not followed where it could be a link.
        let reason = number == ELOOP ? "it is a symbolic link, and none is followed here" : systemErrorText(number)
        self.init(what, path, reason: reason)
    }

    package init(_ what: String, _ path: String, reason: String) {
        self.reason = reason
        description = "cannot \(what) \(path): \(reason)"
    }
}
