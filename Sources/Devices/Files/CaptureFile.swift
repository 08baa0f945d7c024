// The records of a btsnoop file, one after the other, with no more of the file in memory than a piece.

import Bluetooth

package final class CaptureFile {
    private let file: InputFile
    private var reader = CaptureReader()

    package init(_ path: String) throws(BluetoothFileError) {
        file = try InputFile(path)
    }

    package var path: String { file.path }
    var identity: FileIdentity? { file.identity }

    /// The next record; nil at the end. What is wrong with the capture is said with the offset of the byte.
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
