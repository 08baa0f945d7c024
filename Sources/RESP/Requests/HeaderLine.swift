// The header line of an array or a bulk: marker, number, line end.

enum HeaderLine {
    /// The number, or nil if the line has none, and the offset after the line.
    case complete(number: Int?, next: Int)
    /// The line does not end before `searched`.
    case incomplete(searched: Int)
    /// Longer than any line may be.
    case endless

    /// Reads the line with the marker at `start`; an earlier attempt found no end before `searched`. As in Redis, a carriage return ends it, and the
    /// next byte counts as a line feed.
    init(in bytes: UnsafeRawBufferPointer, from start: Int, searched: Int) {
        if let (number, next) = Self.short(in: bytes, from: start) {
            self = .complete(number: number, next: next)
        } else {
            self = .any(in: bytes, from: start, searched: searched)
        }
    }

    /// The fast path for a complete line with a one- or two-digit number; nil for anything else.
    private static func short(in bytes: UnsafeRawBufferPointer, from start: Int) -> (number: Int, next: Int)? {
        guard bytes.count - start >= 5 else { return nil }
        let first = bytes[start + 1] &- .digitZero
        guard first <= 9 else { return nil }
        if bytes[start + 2] == .carriageReturn { return (Int(first), start + 4) }
        let second = bytes[start + 2] &- .digitZero
        guard second <= 9, first != 0, bytes[start + 3] == .carriageReturn else { return nil }
        return (Int(first) * 10 + Int(second), start + 5)
    }

    private static func any(in bytes: UnsafeRawBufferPointer, from start: Int, searched: Int) -> HeaderLine {
        let limit = start + RequestLimits.line
        let visible = bytes.slice(from: 0, to: min(bytes.count, limit + 1))
        guard let lineEnd = visible.firstOffset(of: .carriageReturn, from: max(searched, start + 1)) else {
            return bytes.count > limit ? .endless : .incomplete(searched: bytes.count)
        }
        guard lineEnd + 1 < bytes.count else { return .incomplete(searched: lineEnd) }
        return .complete(number: Decimal.parse(bytes.slice(from: start + 1, to: lineEnd)), next: lineEnd + 2)
    }
}
