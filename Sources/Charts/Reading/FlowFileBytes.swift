// The bytes of a flow file, checked before anything reads them.

import Glibc

enum FlowFileBytes {
    /// All bytes of the file, or one more than are allowed.
    static func read(_ path: String) throws(FlowFileProblem) -> [UInt8] {
        // Opening a FIFO must not block.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { throw unreadable(errno) }
        defer { close(file) }
        var info = stat()
        guard fstat(file, &info) == 0 else { throw unreadable(errno) }
        guard info.st_mode & S_IFMT == S_IFREG else { throw FlowFileProblem(.error, "this is no plain file") }
        var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while bytes.count <= ChartBounds.fileBytes {
            let count = Glibc.read(file, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(errno) }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return bytes
    }

    /// Why these bytes are not even looked into.
    static func problem(of bytes: [UInt8]) -> FlowFileProblem? {
        guard bytes.count <= ChartBounds.fileBytes else {
            return FlowFileProblem(.error, "a flow file has at most \(ChartBounds.fileBytes >> 20) MiB, and this one has more")
        }
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
            return nil
        } catch {
            let line = bytes[..<error.byteOffsets.lowerBound].count { $0 == 0x0A } + 1
            return FlowFileProblem(.error, line: line, "a flow file is UTF-8, and in this line there is a byte that is not")
        }
    }

    private static func unreadable(_ number: Int32) -> FlowFileProblem {
        FlowFileProblem(.error, "the file cannot be read: \(String(cString: strerror(number)))")
    }
}
