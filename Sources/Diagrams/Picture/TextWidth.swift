// How wide a text is, estimated: nobody knows the reader's font. Rather a little too wide, since a box that is too small looks broken.

import Texts

enum TextWidth {
    /// In pixels, at a size of type in pixels.
    static func of(_ text: String, at size: Double) -> Double {
        text.reduce(0) { $0 + width(of: $1) } * size
    }

    /// In ems.
    private static func width(of character: Character) -> Double {
        guard let byte = character.asciiValue else { return [0, 0.66, 1.25][min(2, String(character).displayWidth)] }
        switch byte {
        case 0x69, 0x6A, 0x6C, 0x2E, 0x2C, 0x3A, 0x3B, 0x27, 0x7C, 0x21: return 0.32
        case 0x20, 0x66, 0x74, 0x72, 0x28, 0x29, 0x5B, 0x5D, 0x2F, 0x5C, 0x2D: return 0.4
        case 0x6D, 0x77, 0x4D, 0x57, 0x40, 0x25: return 0.96
        case 0x41...0x5A, 0x26, 0x3C...0x3E, 0x2B, 0x7E: return 0.74
        default: return 0.62
        }
    }
}
