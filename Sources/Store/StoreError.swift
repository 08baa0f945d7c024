// Errors of a data directory, with the messages that operators read.

import Glibc
import Posix

/// Why the store has failed, and what would help.
package struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Cause: Sendable, CaseIterable {
        /// Another daemon uses this directory.
        case inUse
        /// The directory, or a file in it, is missing, not writable, or of the wrong kind.
        case unusable
        /// The file is not one of gamed's databases.
        case foreign
        /// The file was written by a version from before the first release.
        case older
        /// The file was written by a newer version.
        case newer
        /// The file has been truncated or overwritten.
        case damaged
        /// The disk is full. The call can be repeated.
        case full
        /// Reading or writing failed. The call can be repeated.
        case failed
        /// The shard has another owner.
        case lost
        /// The connection ended before it was known whether a commit has happened.
        case unknown
    }

    package let cause: Cause
    package let description: String

    package init(_ cause: Cause, _ description: String) {
        self.cause = cause
        self.description = description
    }

    /// Whether the operator has to change something: exit status 78. Otherwise the machine or the file is at fault: exit status 74.
    package var isOfConfiguration: Bool {
        switch cause {
        case .inUse, .unusable, .foreign, .older, .newer: true
        case .damaged, .full, .failed, .lost, .unknown: false
        }
    }

    /// For a failed system call.
    package static func system(_ number: Int32, _ whatFailed: String) -> StoreError {
        switch number {
        case ENOSPC, EDQUOT: .diskFull(whatFailed)
        case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, EISDIR, EEXIST:
            StoreError(.unusable, "\(whatFailed): \(systemErrorText(number))")
        default: StoreError(.failed, "\(whatFailed): \(systemErrorText(number))")
        }
    }

    package static func diskFull(_ whatFailed: String) -> StoreError {
        StoreError(.full, "the disk is full: \(whatFailed)")
    }

    package static func damaged(_ path: String, _ how: String) -> StoreError {
        StoreError(
            .damaged,
            "\(path) is damaged (\(how)); it was left as it is: put a backup in its place, or move it, its -wal and gamed.mark away "
                + "to start empty")
    }

    /// Part of the file is lost, and the rest can be read.
    package static func lost(_ path: String, _ how: String) -> StoreError {
        StoreError(
            .damaged,
            "\(path) is damaged (\(how)); put a backup in its place, with all other gamed.* files moved away, or start once with "
                + "--accept-loss: the files are kept aside, and the daemon continues with the readable data")
    }
}
