// Streams arrive in any pieces. Every stream is read in three ways, with the same result.

import Bluetooth
import Testing

enum Segmentation: CaseIterable {
    /// The header and every record in a piece of their own.
    case whole
    case byteByByte
    /// All of it in one piece.
    case coalesced

    func pieces(_ parts: [[UInt8]]) -> [[UInt8]] {
        switch self {
        case .whole: parts
        case .byteByByte: parts.joined().map { [$0] }
        case .coalesced: [Array(parts.joined())]
        }
    }
}

/// All records of a capture that must be whole.
func records(_ capture: [[UInt8]], _ segmentation: Segmentation) throws -> [CaptureRecord] {
    var reader = CaptureReader()
    var records: [CaptureRecord] = []
    for piece in segmentation.pieces(capture) {
        reader.feed(piece)
        while let record = try reader.next() { records.append(record) }
    }
    try reader.finish()
    return records
}

/// The error of a capture, and the number of records before it.
func failure(of capture: [[UInt8]], _ segmentation: Segmentation) -> (error: CaptureError?, recordCount: Int) {
    var reader = CaptureReader()
    var count = 0
    do throws(CaptureError) {
        for piece in segmentation.pieces(capture) {
            reader.feed(piece)
            while try reader.next() != nil { count += 1 }
        }
        try reader.finish()
        return (nil, count)
    } catch {
        return (error, count)
    }
}

func observations(_ capture: [[UInt8]], _ segmentation: Segmentation = .coalesced) throws -> [Observation] {
    var decoder = ObservationDecoder()
    return try records(capture, segmentation).flatMap { decoder.decode($0) }
}
