// Tells whether two files say the same, whatever their blanks and comments are.

import JSON

enum Fingerprint {
    /// 64 bits of FNV-1a over the values without blanks, as 16 hexadecimal digits.
    static func of(_ value: JSON) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in value.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
