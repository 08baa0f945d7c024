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

    package var microsecondsSince1970: Int64 {
        microsecondsSinceYearZero.addingSaturated(-Self.unixEpoch)
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
