// What can go wrong with a data directory, each with the sentence that its operator reads.

import Glibc
import Posix

/// Why the store cannot do what it was asked, and what would help.
package struct StoreError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Cause: Sendable, CaseIterable {
        /// Another gamed works in this directory.
        case inUse
        /// The directory, or a file in it, is missing, not ours to write, or no directory at all.
        case unusable
        /// The file is not a database of gamed's.
        case foreign
        /// The file was written by a gamed from before there was any release.
        case older
        /// The file was written by a gamed that is newer than this one.
        case newer
        /// The file has been truncated or overwritten.
        case damaged
        /// There is no space left: what failed can be tried again.
        case full
        /// The machine could not read or write: what failed can be tried again.
        case failed
    }

    /// What the process says when this ends it.
    package enum Kind: Sendable {
        /// The operator has to change something: exit status 78.
        case configuration
        /// The machine or the file is at fault: exit status 74.
        case io
    }

    package let cause: Cause
    package let description: String

    package init(_ cause: Cause, _ description: String) {
        self.cause = cause
        self.description = description
    }

    package var kind: Kind {
        switch cause {
        case .inUse, .unusable, .foreign, .older, .newer: .configuration
        case .damaged, .full, .failed: .io
        }
    }
}

extension StoreError {
    /// For a system call that has failed.
    package static func system(_ number: Int32, _ whatFailed: String) -> StoreError {
        switch number {
        case ENOSPC, EDQUOT: .diskFull(whatFailed)
        case EACCES, EPERM, EROFS, ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG, EISDIR, EEXIST:
            StoreError(.unusable, "\(whatFailed): \(systemErrorText(number))")
        default: StoreError(.failed, "\(whatFailed): \(systemErrorText(number))")
        }
    }

    package static func diskFull(_ whatFailed: String) -> StoreError {
        StoreError(.full, "the disk is full: \(whatFailed); once there is space, it goes on by itself")
    }

    package static func damaged(_ path: String, _ how: String) -> StoreError {
        StoreError(
            .damaged,
            "\(path) is damaged (\(how)); it was left as it is: put a backup in its place, or move it, its -wal and gamed.mark away "
                + "to begin anew")
    }

    /// Part of it is lost, and the rest can be read.
    package static func lost(_ path: String, _ how: String) -> StoreError {
        StoreError(
            .damaged,
            "\(path) is damaged (\(how)); put a backup in its place, or start once with --accept-loss: the files are kept aside, and "
                + "the daemon goes on with what can be read")
    }
}
