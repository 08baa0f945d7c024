// Elements in chunks: stable addresses, and no memory for unused chunks.

import Memory
import Testing

@Suite struct `Elements in chunks` {
    static let size = Chunks<UInt64>.size

    @Test func `Elements in chunks keep their addresses, however many are added`() {
        var chunks = Chunks<UInt64>()
        for number in 0..<(20 * Self.size) {
            if number % Self.size == 0 { chunks.makeRoom(for: number) }
            chunks[number] = UInt64(number) * 3
        }
        let first = chunks.place(of: 0)
        chunks.makeRoom(for: 40 * Self.size)
        #expect(chunks.place(of: 0) == first)
        #expect((0..<20 * Self.size).allSatisfy { chunks[$0] == UInt64($0) * 3 })
    }

    @Test func `Chunks begin at a cache line boundary`() {
        var chunks = Chunks<UInt64>(blank: 0)
        for chunk in 0..<4 {
            chunks.makeRoom(for: UInt32(chunk) * Self.size)
            #expect(UInt(bitPattern: chunks.place(of: UInt32(chunk) * Self.size)) % 64 == 0)
        }
    }

    @Test func `Elements in chunks are blank until they are written`() {
        var chunks = Chunks<UInt64>(blank: 7)
        chunks.makeRoom(for: 0)
        chunks[3] += 1
        #expect(chunks[2] == 7 && chunks[3] == 8 && chunks[Self.size - 1] == 7)
    }

    @Test func `Unused chunks share memory, and get their own when they are used`() {
        var chunks = Chunks<UInt64>(blank: 7)
        chunks.makeRoom(for: 100 * Self.size)
        #expect(chunks.footprint < 4 * Int(Self.size) * 8, "of 101 chunks, two have memory")
        #expect(chunks[5] == 7 && chunks[50 * Self.size] == 7)
        chunks.makeRoom(for: 5)
        chunks[5] = 9
        #expect(chunks[5] == 9 && chunks[Self.size + 5] == 7, "the others read as before")
    }

    @Test func `Chunks that are removed free their memory, and can be used again`() {
        var chunks = Chunks<UInt64>(blank: 7)
        chunks.makeRoom(for: 3 * Self.size)
        chunks.removeAll()
        #expect(chunks.footprint < Int(Self.size) * 8)
        chunks.makeRoom(for: 0)
        #expect(chunks[0] == 7)
    }

    #if DEBUG
        @Test func `Access beyond the last chunk traps in a debug build`() async {
            await #expect(processExitsWith: .failure) {
                let chunks = Chunks<UInt64>(blank: 7)
                _ = chunks[0]
            }
        }
    #endif
}

@Suite struct `A borrowed object` {
    final class Kept {}

    @Test func `A borrowed object is retained only by an explicit call`() {
        var object: Kept? = Kept()
        weak let watched = object
        let borrowed = object.map { Borrowed($0) }
        borrowed?.retain()
        object = nil
        #expect(watched != nil)
        borrowed?.release()
        #expect(watched == nil)
    }

    @Test func `Borrowed objects with the same token are equal`() {
        let object = Kept()
        #expect(Borrowed(object) == Borrowed<Kept>(token: Borrowed(object).token))
        #expect(Borrowed(object) != Borrowed(Kept()))
    }
}
