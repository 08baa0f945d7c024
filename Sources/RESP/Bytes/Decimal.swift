// Whole numbers as the protocol writes them.

enum Decimal {
    /// The longest number, `-9223372036854775808`, in bytes.
    static let maxLength = 20

    /// Parses a number in canonical form, as Redis does: no plus, no blanks, no leading zeros. Nil if it is none, or too large.
    static func parse(_ text: UnsafeRawBufferPointer) -> Int? {
        guard let first = text.first, text.count <= maxLength else { return nil }
        guard first == .minus else { return magnitude(text).flatMap(Int.init(exactly:)) }
        let digits = text.slice(from: 1, to: text.count)
        guard let magnitude = magnitude(digits), magnitude > 0, magnitude <= Int.min.magnitude else { return nil }
        return Int(truncatingIfNeeded: 0 &- magnitude)
    }

    private static func magnitude(_ digits: UnsafeRawBufferPointer) -> UInt? {
        guard let first = digits.first, first != .digitZero || digits.count == 1 else { return nil }
        var value: UInt = 0
        for byte in digits {
            let digit = byte &- .digitZero
            guard digit < 10 else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = product.addingReportingOverflow(UInt(digit))
            guard !tooLarge, !overflow else { return nil }
            value = sum
        }
        return value
    }

    /// Writes the number and returns its length, at most `longest`.
    static func write(_ number: Int, to memory: UnsafeMutableRawPointer) -> Int {
        var magnitude = number.magnitude
        let length = length(of: number)
        var offset = length
        repeat {
            offset -= 1
            memory.storeBytes(of: .digitZero + UInt8(truncatingIfNeeded: magnitude % 10), toByteOffset: offset, as: UInt8.self)
            magnitude /= 10
        } while magnitude > 0
        if number < 0 { memory.storeBytes(of: .minus, as: UInt8.self) }
        return length
    }

    /// How many bytes the number takes.
    static func length(of number: Int) -> Int { (number < 0 ? 1 : 0) + digitCount(number.magnitude) }

    private static func digitCount(_ magnitude: UInt) -> Int {
        var (count, limit): (Int, UInt) = (1, 10)
        while magnitude >= limit {
            count += 1
            let (next, overflow) = limit.multipliedReportingOverflow(by: 10)
            if overflow { break }
            limit = next
        }
        return count
    }
}
