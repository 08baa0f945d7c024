// The process's own output.

import Glibc

/// Written without buffering. A failed write is an error.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    package func writeLine(_ text: String) throws(StreamError) {
        try write(text + "\n")
    }

    /// Writes the text without a line end.
    package func write(_ text: String) throws(StreamError) {
        try write(text, into: rawValue)
    }

    /// Waits until a text of a few lines can be written without waiting, or the reader is gone.
    package func waitForRoom() { Self.waitForRoom(in: rawValue) }

    private static func waitForRoom(in descriptor: Int32) {
        var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while poll(&question, 1, -1) < 0, errno == EINTR {}
    }

    /// The same where the stream has another descriptor.
    func write(_ text: String, into descriptor: Int32) throws(StreamError) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            let number = count < 0 ? errno : EIO
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if number == EAGAIN {
                // A process that shares the open file has made it nonblocking; we wait all the same.
                Self.waitForRoom(in: descriptor)
            } else if number != EINTR {
                throw StreamError(.write, self == .output ? "standard output" : "standard error", number)
            }
        }
    }
}

// MARK: - Descriptors 0 to 2, which every program should find open

package enum StandardDescriptors {
    /// Opens /dev/null for those that are closed. Called before anything else is opened: otherwise a socket could become standard
    /// output, and printed text would be sent as commands.
    ///
    /// They are opened in the wrong direction, as GNU programs do: reading and writing fail as on a closed descriptor, so that no
    /// output is silently lost in /dev/null.
    package static func fill() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            guard open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) == descriptor else {
                fail(closed: descriptor)
            }
        }
    }

    private static func fail(closed descriptor: Int32) -> Never {
        let reason = systemErrorText(errno)
        try? StandardStream.error.writeLine(
            "descriptor \(descriptor) is closed, and /dev/null cannot be opened for it: \(reason)")
        exit(EX_OSERR)
    }
}

/// Why a standard stream could not be read or written, in a sentence.
package struct StreamError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Operation: String, Sendable {
        case read = "cannot read"
        case write = "cannot write to"
    }

    private let action: Operation
    private let stream: String
    private let number: Int32

    package init(_ action: Operation, _ stream: String, _ number: Int32) {
        (self.action, self.stream, self.number) = (action, stream, number)
    }

    /// Whether the reader has closed the pipe, which is no failure to report.
    package var isReaderGone: Bool { number == EPIPE }

    package var description: String { "\(action.rawValue) \(stream): \(systemErrorText(number))" }
}

// MARK: - Standard output, reserved for the program's own output: other code prints to standard error meanwhile.

/// While it lives, descriptor 1 is standard error, and only `write` reaches standard output.
package final class CleanOutput {
    private let real: Descriptor

    /// Nil if no descriptor is left for it.
    package init?() {
        fflush(nil)
        guard let real = Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) else { return nil }
        self.real = real
        dup2(STDERR_FILENO, STDOUT_FILENO)
    }

    deinit {
        fflush(nil)
        dup2(real.number, STDOUT_FILENO)
    }

    /// Text printed earlier comes before it, if both go to one place.
    package func write(_ text: String) throws(StreamError) {
        fflush(nil)
        try StandardStream.output.write(text, into: real.number)
    }
}
