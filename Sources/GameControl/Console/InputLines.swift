// Standard input, line by line.

import Glibc
import RESP
import StandardStreams

struct InputLines: ~Copyable {
    /// More than a daemon would read of one request; an input that has no lines at all ends here and not with the memory.
    private static let longest = 64 << 20
    private static let pieceSize = 64 << 10

    private var input = ByteQueue()
    /// How much of it has no line end.
    private var searched = 0
    private var isOver = false

    /// Without its line end; nil when there are no more.
    mutating func next() throws(ControlError) -> String? {
        while true {
            if let end = lineEnd() { return take(end, andItsEnd: 1) }
            guard !isOver else { return input.isEmpty ? nil : take(input.count, andItsEnd: 0) }
            guard input.count <= Self.longest else {
                throw .usage("standard input has a line of more than \(Self.longest >> 20) MB, which is no command")
            }
            try readOn()
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

    private mutating func take(_ count: Int, andItsEnd end: Int) -> String {
        var bytes = input.bytes[..<count]
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        let line = String(decoding: bytes, as: UTF8.self)
        input.consume(count + end)
        searched = 0
        return line
    }

    private mutating func readOn() throws(ControlError) {
        let room = input.room(for: Self.pieceSize)
        let count = read(STDIN_FILENO, room.baseAddress, room.count)
        if count > 0 { return input.commit(count) }
        if count == 0 { return isOver = true }
        switch errno {
        case EINTR: return
        // Somebody with whom we share the open file wants it not to wait; we do.
        case EAGAIN: waitForMore()
        case let number: throw .stream(StreamError(.read, "standard input", number))
        }
    }

    private func waitForMore() {
        var question = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        poll(&question, 1, -1)
    }
}
