// Secrets that the daemon makes up.

/// 256 random bits, from the system, as hexadecimal digits.
struct Secret: Hashable, CustomStringConvertible {
    let description: String

    init() {
        var generator = SystemRandomNumberGenerator()
        description = (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// One that has been kept; nil if it has another form.
    init?(_ text: Substring) {
        guard text.utf8.count == 64, text.allSatisfy(\.isHexDigit) else { return nil }
        description = String(text)
    }

    /// Takes constant time for a guess of the right length.
    func matches(_ guess: some StringProtocol) -> Bool {
        guard guess.utf8.count == description.utf8.count else { return false }
        return zip(guess.utf8, description.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
