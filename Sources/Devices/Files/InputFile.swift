// Reads a file from beginning to end, piece by piece.

import Bluetooth
import Glibc
import Posix

/// An open regular file: anything else could block the loop forever.
final class InputFile {
    static let pieceSize = 64 << 10

    let path: String
    private let descriptor: Descriptor
    private var buffer = [UInt8](repeating: 0, count: pieceSize)

    init(_ path: String) throws(BluetoothFileError) {
        self.path = path
        guard let descriptor = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) else {
            throw BluetoothFileError(description: "cannot read \(path): \(systemErrorText(errno))")
        }
        guard FileIdentity(descriptor.number)?.isRegular == true else {
            throw BluetoothFileError(description: "cannot read \(path): it is not a regular file")
        }
        self.descriptor = descriptor
    }

    var identity: FileIdentity? { FileIdentity(descriptor.number) }

    /// Nil at the end. Blocks the loop for one piece, which a local disk delivers at once.
    func readPiece() throws(BluetoothFileError) -> ArraySlice<UInt8>? {
        while true {
            let count = read(descriptor.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw BluetoothFileError(description: "cannot read \(path): \(systemErrorText(errno))")
            }
            return count == 0 ? nil : buffer[..<count]
        }
    }
}

/// Identifies a file independently of its name, with its properties from the system.
struct FileIdentity {
    let isRegular: Bool
    let byteCount: Int
    private let device: UInt
    private let number: UInt

    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        isRegular = status.st_mode & S_IFMT == S_IFREG
        byteCount = Int(status.st_size)
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
    }

    func isSame(as other: FileIdentity) -> Bool {
        device == other.device && number == other.number
    }
}

// MARK: - Reads the records of a btsnoop file, with only a piece of the file in memory

package final class CaptureFile {
    private let file: InputFile
    private var reader = CaptureReader()

    package init(_ path: String) throws(BluetoothFileError) {
        file = try InputFile(path)
    }

    package var path: String { file.path }
    var identity: FileIdentity? { file.identity }

    /// The next record; nil at the end. An error names the offset of the wrong byte.
    package func next() throws(BluetoothFileError) -> CaptureRecord? {
        while true {
            if let record = try reading({ (reader) throws(CaptureError) in try reader.next() }) { return record }
            guard let piece = try file.readPiece() else { break }
            reader.feed(piece)
        }
        try reading { (reader) throws(CaptureError) in try reader.finish() }
        return nil
    }

    private func reading<Value>(
        _ body: (inout CaptureReader) throws(CaptureError) -> Value
    ) throws(BluetoothFileError) -> Value {
        do throws(CaptureError) { return try body(&reader) } catch { throw BluetoothFileError(description: "\(error)") }
    }
}

/// Why a file for the Bluetooth source cannot be used.
package struct BluetoothFileError: Error, CustomStringConvertible {
    /// One line, and one more per problem if there are several. Quotes the file, so it is untrusted text.
    package let lines: [String]
    private let things: [String]

    package init(description: String) {
        (lines, things) = ([description], [])
    }

    package init(_ head: String, _ things: [String]) {
        (lines, self.things) = ([head] + things.map { "  \($0)" }, things)
    }

    package var description: String { lines.joined(separator: "\n") }

    /// The same on one line.
    package var inOneLine: String {
        lines[0] + things.enumerated().map { " (\($0 + 1)) \($1)" }.joined(separator: ";")
    }
}
