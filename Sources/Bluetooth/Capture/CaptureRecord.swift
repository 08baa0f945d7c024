// One record of a capture. CaptureContent defines the meaning of its bytes.

package struct CaptureRecord: Equatable, Sendable {
    /// The most bytes in a record: the longest packet, with 65,535 bytes, its header and its type.
    package static let maxLength = 65_540
    static let headerLength = 24

    package var datalink: Datalink
    package var time: CaptureTime
    /// In H4, two bits for the direction and the kind of packet; in a monitor capture, the opcode and the adapter.
    package var flags: UInt32
    package var bytes: [UInt8]

    package init(datalink: Datalink, time: CaptureTime, flags: UInt32, bytes: [UInt8]) {
        self.datalink = datalink
        self.time = time
        self.flags = flags
        self.bytes = bytes
    }

    /// The record as it is in the file.
    package var serialized: [UInt8] {
        precondition(bytes.count <= Self.maxLength, "a record has at most \(Self.maxLength) bytes")
        let length = UInt32(bytes.count)
        // The packet's own length and that of its bytes here, as none is truncated; at the end, packets that were lost.
        let numbers = [length, length, flags, 0]
        return numbers.flatMap(\.bigEndianBytes) + time.microsecondsSinceYearZero.bigEndianBytes + bytes
    }
}

/// The time of a record, in microseconds. Sums and differences saturate.
package struct CaptureTime: Hashable, Comparable, Sendable {
    /// Midnight of January 1st 1970 as a capture writes it. The format's description gives January 1st 2000, as
    /// 0x00E0_3AB4_4A67_6000; 946,684,800 seconds lie between the two.
    private static let unixEpoch: Int64 = 0x00DC_DDB3_0F2F_8000

    /// Counted from midnight of January 1st of the year 0, as in captures.
    package let microsecondsSinceYearZero: Int64

    package init(microsecondsSinceYearZero: Int64) {
        self.microsecondsSinceYearZero = microsecondsSinceYearZero
    }

    package init(microsecondsSince1970: Int64) {
        microsecondsSinceYearZero = microsecondsSince1970.addingSaturated(Self.unixEpoch)
    }

    package static func < (left: CaptureTime, right: CaptureTime) -> Bool {
        left.microsecondsSinceYearZero < right.microsecondsSinceYearZero
    }

    /// Negative if the other time is earlier.
    package func duration(to other: CaptureTime) -> Duration {
        // A Duration has 128 bits, so any difference fits.
        .microseconds(other.microsecondsSinceYearZero) - .microseconds(microsecondsSinceYearZero)
    }

    package func advanced(by duration: Duration) -> CaptureTime {
        let (seconds, attoseconds) = duration.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let whole: Int64 = overflow ? (seconds < 0 ? .min : .max) : product
        let length = whole.addingSaturated(attoseconds / 1_000_000_000_000)
        return CaptureTime(microsecondsSinceYearZero: microsecondsSinceYearZero.addingSaturated(length))
    }
}

extension Int64 {
    fileprivate func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
