// Secrets that cannot be guessed.

/// 256 random bits from the system, as 43 letters, digits, hyphens and underscores.
package func randomSecret() -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var generator = SystemRandomNumberGenerator()
    let words = (0..<4).map { _ in generator.next() as UInt64 }
    // Six bits a character; the last one has the four that are left.
    let characters = (0..<43).map { place in
        let bit = 6 * place
        let (word, offset) = (bit / 64, UInt64(bit % 64))
        let high = word + 1 < words.count && offset > 58 ? words[word + 1] << (64 - offset) : 0
        return alphabet[Int((words[word] >> offset | high) & 63)]
    }
    return String(decoding: characters, as: UTF8.self)
}
