// Standard input, line by line.

import Client
import Glibc
import Posix
import RESP

struct InputLines: ~Copyable {
    /// More than a daemon reads of one request. It stops an input without line ends before memory runs out.
    private static let maxLength = 64 << 20
    private static let pieceSize = 64 << 10

    private var input = ByteQueue()
    /// How much of the input is known to have no line end.
    private var searched = 0
    private var isOver = false

    /// The bytes of the next line, without its line end; nil at the end of the input.
    mutating func next() throws(ControlError) -> [UInt8]? {
        while true {
            if let end = lineEnd() { return consume(end, lineEnd: 1) }
            guard !isOver else { return input.isEmpty ? nil : consume(input.count, lineEnd: 0) }
            guard input.count <= Self.maxLength else {
                throw .usage(
                    "standard input has a line of more than \(Self.maxLength >> 20) MB, which is too long for a command")
            }
            try readMore()
        }
    }

    private mutating func lineEnd() -> Int? {
        let bytes = input.bytes
        guard let start = bytes.baseAddress, let end = memchr(start + searched, 0x0A, bytes.count - searched) else {
            searched = bytes.count
            return nil
        }
        return UnsafeRawPointer(end) - start
    }

    private mutating func consume(_ count: Int, lineEnd end: Int) -> [UInt8] {
        var bytes = input.bytes[..<count]
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        let line = Array(bytes)
        input.consume(count + end)
        searched = 0
        return line
    }

    private mutating func readMore() throws(ControlError) {
        let room = input.room(for: Self.pieceSize)
        let count = read(STDIN_FILENO, room.baseAddress, room.count)
        if count > 0 { return input.commit(count) }
        if count == 0 { return isOver = true }
        switch errno {
        case EINTR: return
        // The open file is shared with a process that has made it nonblocking.
        case EAGAIN: waitForMore()
        case let number: throw .stream(StreamError(.read, "standard input", number))
        }
    }

    private func waitForMore() {
        var question = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        poll(&question, 1, -1)
    }
}
