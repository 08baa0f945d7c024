// Numbers. The scanner and all readers of values share this parser, so that they agree on what a number is.

/// A number's parts, as far as they fit.
struct JSONNumber {
    private let start: UnsafeRawPointer
    private let isNegative: Bool
    /// Whether the text is a number, and the next byte cannot continue it.
    private(set) var isWellFormed = false
    private var isWhole = true
    /// All digits as one number, for at most `maxDigits` digits.
    private var digits: UInt64 = 0
    /// How many digits are before the point, without a leading zero, and after it.
    private var (before, behind) = (0, 0)
    private var exponent = 0

    private static let maxDigits = 19

    /// Reads a number and moves the cursor past it.
    init(_ cursor: inout JSONCursor) {
        start = cursor.position
        isNegative = cursor.consume(.minus)
        guard cursor.byte.isDigit else { return }
        if !cursor.consume(.zero) { before = readDigits(&cursor) }
        guard cursor.byte.isPartOfNumber else {
            isWellFormed = true
            return
        }
        guard readFraction(&cursor), readExponent(&cursor) else { return }
        isWellFormed = !cursor.byte.isPartOfNumber
    }

    private mutating func readDigits(_ cursor: inout JSONCursor) -> Int {
        let first = cursor.position
        var digits = digits
        while cursor.byte.isDigit {
            digits = digits &* 10 &+ UInt64(cursor.byte &- .zero)
            cursor.step()
        }
        self.digits = digits
        return cursor.position - first
    }

    private mutating func readFraction(_ cursor: inout JSONCursor) -> Bool {
        guard cursor.consume(UInt8(ascii: ".")) else { return true }
        isWhole = false
        behind = readDigits(&cursor)
        return behind > 0
    }

    /// Saturates: any exponent beyond the length of a text has the same effect.
    private mutating func readExponent(_ cursor: inout JSONCursor) -> Bool {
        guard cursor.byte.isExponentSign else { return true }
        cursor.step()
        isWhole = false
        let isSmall = cursor.consume(.minus)
        if !isSmall { _ = cursor.consume(UInt8(ascii: "+")) }
        guard cursor.byte.isDigit else { return false }
        while cursor.byte.isDigit {
            if exponent < 1 << 40 { exponent = exponent &* 10 &+ Int(cursor.byte &- .zero) }
            cursor.step()
        }
        if isSmall { exponent = -exponent }
        return true
    }

    // MARK: Its value

    /// Nil if it is not a whole number, or too large.
    var integer: Int? {
        guard isWhole, before <= Self.maxDigits else { return nil }
        if isNegative { return digits <= 1 << 63 ? Int(truncatingIfNeeded: 0 &- digits) : nil }
        return Int(exactly: digits)
    }

    /// `end` is the cursor's position after the number.
    func double(endingAt end: UnsafeRawPointer) -> Double {
        if let exact { return isNegative ? -exact : exact }
        let text = String(decoding: UnsafeRawBufferPointer(start: start, count: end - start), as: UTF8.self)
        return Double(text) ?? .infinity
    }

    /// The value where the digits and the power of ten are small: both are exact, so the result is rounded only once.
    private var exact: Double? {
        guard before + behind <= Self.maxDigits, digits <= 1 << 53 else { return nil }
        let power = exponent - behind
        switch power {
        case 0: return Double(digits)
        case 1...22: return Double(digits) * Self.powers[power]
        case -22 ... -1: return Double(digits) / Self.powers[-power]
        default: return nil
        }
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
        1e21, 1e22,
    ]

    /// Whether it is finite. For most numbers the count of digits tells.
    func isFinite(endingAt end: UnsafeRawPointer) -> Bool {
        before + exponent <= 308 || isBelowLargest || double(endingAt: end).isFinite
    }

    /// For numbers as long as the largest: whether their digits are below those where infinity begins, 1.797693134862315807937….
    private var isBelowLargest: Bool {
        let count = before + behind
        guard before > 0, before + exponent == 309, count <= Self.maxDigits else { return false }
        var lengthened = digits
        for _ in count..<Self.maxDigits { lengthened &*= 10 }
        return lengthened < 1_797_693_134_862_315_808
    }
}

extension JSONScanner {
    mutating func scanNumber() throws(JSONFault) {
        let start = cursor.position
        let number = JSONNumber(&cursor)
        guard number.isWellFormed, number.isFinite(endingAt: cursor.position) else {
            cursor.position = start
            throw .noNumber
        }
    }
}
