// A btsnoop file, read with only a piece of it in memory.

import Bluetooth
import Glibc
import Posix

package final class CaptureFile {
    package let path: String
    private let file: PlainFileReader
    private var reader = CaptureReader()

    package init(_ path: String) throws(BluetoothFileError) {
        self.path = path
        file = try BluetoothFileError.during { () throws(FileError) in try PlainFileReader(path) }
    }

    /// The system's status of the file.
    var status: stat { file.status }

    /// The next record; nil at the end. An error names the offset of the wrong byte. Blocks the loop for one piece of the file, which a local disk
    /// delivers at once.
    package func next() throws(BluetoothFileError) -> CaptureRecord? {
        while true {
            let record = try BluetoothFileError.during { () throws(CaptureError) in try reader.next() }
            if let record { return record }
            guard let piece = try BluetoothFileError.during({ () throws(FileError) in try file.next() }) else { break }
            reader.feed(piece)
        }
        try BluetoothFileError.during { () throws(CaptureError) in try reader.finish() }
        return nil
    }
}

/// Why a file for the Bluetooth source cannot be used.
package struct BluetoothFileError: Error, CustomStringConvertible {
    /// One line, and one more per problem if there are several. Quotes the file, so it is untrusted text.
    package let lines: [String]
    private let things: [String]

    package init(_ head: String, _ things: [String] = []) {
        (lines, self.things) = ([head] + things.map { "  \($0)" }, things)
    }

    static func during<Value, Cause>(_ body: () throws(Cause) -> Value) throws(BluetoothFileError) -> Value {
        do throws(Cause) { return try body() } catch { throw BluetoothFileError("\(error)") }
    }

    package var description: String { lines.joined(separator: "\n") }

    /// The same on one line.
    package var inOneLine: String {
        lines[0] + things.enumerated().map { " (\($0 + 1)) \($1)" }.joined(separator: ";")
    }
}
