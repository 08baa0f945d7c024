@testable import Bluetooth

/// The records read from a capture, and the end of the reading.
struct CaptureOutcome: Equatable {
    private(set) var records: [CaptureRecord] = []
    private(set) var error: CaptureError?

    init(of pieces: [ArraySlice<UInt8>]) {
        var reader = CaptureReader()
        do throws(CaptureError) {
            for piece in pieces { try read(piece, &reader) }
            try reader.finish()
        } catch {
            self.error = error
            promise(!error.description.isEmpty, "an error says what is wrong")
        }
    }

    private mutating func read(_ piece: ArraySlice<UInt8>, _ reader: inout CaptureReader) throws(CaptureError) {
        reader.feed(piece)
        while let record = try reader.next() {
            promise(record.bytes.count <= CaptureRecord.maxLength, "a record of \(record.bytes.count) bytes was read")
            records.append(record)
        }
        let most = CaptureRecord.headerLength + CaptureRecord.maxLength
        promise(reader.unreadByteCount < most, "\(reader.unreadByteCount) bytes are kept, and no record has more than \(most)")
    }
}
