// Whole numbers in decimal digits, written in place.

public enum Decimal {
    /// The longest number, `-9223372036854775808`, in bytes.
    @inlinable public static var maxLength: Int { 20 }

    /// Writes the number and returns its length, at most `maxLength`.
    @inlinable
    public static func write(_ number: Int, to memory: UnsafeMutableRawPointer) -> Int {
        var magnitude = number.magnitude
        let length = length(of: number)
        var offset = length
        repeat {
            offset &-= 1
            let digit = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: magnitude % 10)
            memory.storeBytes(of: digit, toByteOffset: offset, as: UInt8.self)
            magnitude /= 10
        } while magnitude > 0
        if number < 0 { memory.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self) }
        return length
    }

    /// How many bytes the number takes.
    @inlinable
    public static func length(of number: Int) -> Int {
        var (count, limit): (Int, UInt) = (1, 10)
        // No number has more than 19 digits, and its limit fits.
        while count < 19, number.magnitude >= limit { (count, limit) = (count &+ 1, limit &* 10) }
        return number < 0 ? count &+ 1 : count
    }
}
