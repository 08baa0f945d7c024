// Reads the records of a btsnoop file, with only a piece of the file in memory.

import Bluetooth

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
