// SHA-256, and its comparison in constant time.

import COpenSSL
import Texts

/// The SHA-256 of some bytes. A comparison takes the same time for equal and for different digests.
package struct Digest: Sendable, Equatable {
    package static let byteCount = 32

    private let bytes: [UInt8]

    package init(of bytes: UnsafeRawBufferPointer) {
        self.bytes = Array(unsafeUninitializedCapacity: Self.byteCount) { room, count in
            SHA256(bytes.baseAddress, bytes.count, room.baseAddress)
            count = Self.byteCount
        }
    }

    package init(of text: String) {
        self = text.utf8Span.span.withUnsafeBytes { Digest(of: $0) }
    }

    /// Nil if the text is not 64 hexadecimal digits.
    package init?(hexadecimal text: some StringProtocol) {
        let digits = text.compactMap(\.hexDigitValue)
        guard text.utf8.count == 2 * Self.byteCount, digits.count == 2 * Self.byteCount else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// 64 hexadecimal digits.
    package var hexadecimal: String { bytes.map { String($0, radix: 16).leftPadded(to: 2, with: "0") }.joined() }

    package static func == (left: Digest, right: Digest) -> Bool {
        left.bytes.withUnsafeBytes { left in
            right.bytes.withUnsafeBytes { CRYPTO_memcmp(left.baseAddress, $0.baseAddress, byteCount) == 0 }
        }
    }
}

// MARK: - Secrets that cannot be guessed.

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
