// Names that are UUIDs are stored as numbers, and are read as the same text.

import Seeds
import Testing
@testable import Sessions

@Suite struct `A UUID as a name` {
    static let some = "3f2c9a10-7b1e-4c55-9d2f-0a1b2c3d4e5f"

    private func name<Result>(_ text: String, _ body: (SessionName, UnsafeRawBufferPointer) -> Result) -> Result {
        var text = text
        return text.withUTF8 { bytes in
            let name = SessionName(UnsafeRawBufferPointer(bytes))
            defer { name.free() }
            return body(name, UnsafeRawBufferPointer(bytes))
        }
    }

    @Test func `A UUID as a name needs no allocation, and reads back as the same text`() {
        var random = SeededGenerator.announced("UUIDs as names", seed: 20_261_121)
        for _ in 0..<1_000 {
            let digits = (0..<32).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }
            let uuid = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0].joined() }.joined(separator: "-")
            name(uuid) { name, bytes in
                #expect(name.address == nil)
                #expect(name.withBytes { String(decoding: $0, as: UTF8.self) } == uuid)
                #expect(name.equals(bytes))
            }
        }
    }

    @Test(arguments: [
        "3F2C9A10-7B1E-4C55-9D2F-0A1B2C3D4E5F", "3f2c9a10-7b1e-4c55-9d2f-0a1b2c3d4e5g", "3f2c9a1007b1e-4c55-9d2f-0a1b2c3d4e5f",
        "3f2c9a10-7b1e-4c55-9d2f-0a1b2c3d4e5", "00000000-0000-0000-9d2f-0a1b2c3d4e5f", "a name that has 36 bytes and no UUID",
    ])
    func `A name that is not a packable UUID keeps its text`(text: String) {
        name(text) { name, bytes in
            #expect(name.address != nil)
            #expect(name.withBytes { String(decoding: $0, as: UTF8.self) } == text)
            #expect(name.equals(bytes))
        }
    }

    @Test func `A UUID as a name equals no text that differs in any byte`() {
        name(Self.some) { name, bytes in
            var other = Array(bytes)
            for index in other.indices {
                let mine = other[index]
                for byte in UInt8.min ... .max {
                    other[index] = byte
                    let (equals, packs) = other.withUnsafeBytes { (name.equals($0), PackedUUID($0) != nil) }
                    #expect(equals == (byte == mine), "byte \(byte) at \(index)")
                    let isDash = [8, 13, 18, 23].contains(index)
                    let isDigit = (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
                    #expect(packs == (isDash ? byte == 0x2D : isDigit), "byte \(byte) at \(index)")
                }
                other[index] = mine
            }
        }
    }
}
