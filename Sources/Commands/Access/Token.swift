// The token that authenticates network clients, and its file.

import Glibc
import Posix

/// A secret: compared, never shown.
package struct Token: Sendable, Equatable {
    static let shortest = 16
    package static let longest = 1_024

    private let bytes: [UInt8]

    /// Printable ASCII without blanks, so that it is one word of a request. `whence` is for the error.
    package init(_ text: String, from whence: String) throws(TokenError) {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw TokenError(description: "the token \(whence) is not one word of printable ASCII; \(Self.example)")
        }
        guard (Self.shortest...Self.longest).contains(bytes.count) else {
            throw TokenError(
                description: "the token \(whence) has \(bytes.count) characters; it needs \(Self.shortest) to \(Self.longest): "
                    + Self.example)
        }
        self.bytes = bytes
    }

    private static let example = "'head -c 24 /dev/urandom | base64' makes a good one"

    /// The first line of a file that only its owner and group can read.
    package init(file path: String) throws(TokenError) {
        let text = try TokenFile.firstLine(of: path)
        try self.init(text, from: "in \(path)")
    }

    /// Takes constant time, however much of the guess is right.
    package func matches(_ guess: UnsafeRawBufferPointer) -> Bool {
        var difference = guess.count ^ bytes.count
        for (index, byte) in guess.enumerated() {
            difference |= Int(byte ^ bytes[index % bytes.count])
        }
        return difference == 0
    }
}

/// Why there is no token, in one sentence.
package struct TokenError: Error, CustomStringConvertible {
    package let description: String
}

private enum TokenFile {
    static func firstLine(of path: String) throws(TokenError) -> String {
        // Opening a pipe or a device could block.
        guard let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) else {
            throw TokenError(description: "cannot read the token file \(path): \(systemErrorText(errno))")
        }
        try check(file, path)
        var buffer = [UInt8](repeating: 0, count: Token.longest + 2)
        let count = read(file.number, &buffer, buffer.count)
        guard count >= 0 else {
            throw TokenError(description: "cannot read the token file \(path): \(systemErrorText(errno))")
        }
        let line = buffer[..<count].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return String(decoding: line, as: UTF8.self)
    }

    private static func check(_ file: borrowing Descriptor, _ path: String) throws(TokenError) {
        var info = stat()
        guard fstat(file.number, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            throw TokenError(description: "the token file \(path) is not a plain file")
        }
        guard info.st_mode & 0o007 == 0 else {
            throw TokenError(description: "the token file \(path) is open to everybody; 'chmod 600 \(path)' closes it")
        }
        guard info.st_uid == 0 || info.st_uid == geteuid() else {
            throw TokenError(description: "the token file \(path) belongs to somebody else; it must be root's or your own")
        }
        guard info.st_mode & 0o020 == 0 else {
            throw TokenError(description: "the token file \(path) can be changed by its group; 'chmod g-w \(path)' mends that")
        }
    }
}
