// Texts by number, for a block of the history.

import Store

/// Texts in the order in which they came, each once.
struct NameList {
    private let bytes = BatchBytes()
    private var ends: [Int] = []
    /// Open addressing: places, and one more.
    private var slots = [UInt32](repeating: 0, count: 64)

    private func text(at place: Int) -> Text {
        Text(rebasing: bytes.bytes[(place == 0 ? 0 : ends[place - 1])..<ends[place]])
    }

    mutating func removeAll() {
        bytes.removeAll()
        ends.removeAll(keepingCapacity: true)
        for slot in slots.indices { slots[slot] = 0 }
    }

    mutating func place(of name: Text) -> Int {
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot] != 0 {
            let place = Int(slots[slot]) - 1
            if text(at: place).hasSameBytes(as: name) { return place }
            slot = (slot + 1) & (slots.count - 1)
        }
        bytes.reserve(name.count)
        bytes.write(name)
        ends.append(bytes.count)
        slots[slot] = UInt32(ends.count)
        if ends.count * 2 > slots.count { grow() }
        return ends.count - 1
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for place in ends.indices {
            var slot = Self.hash(text(at: place)) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(place + 1)
        }
    }

    /// FNV-1a.
    private static func hash(_ text: Text) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: hash >> 32)
    }

    /// As a JSON array.
    var json: BatchBytes {
        let json = BatchBytes(capacity: bytes.count + 3 * ends.count + 2)
        json.reserve(1)
        json.write(UInt8(ascii: "["))
        for place in ends.indices {
            if place > 0 { json.append(",") }
            json.append(quoted: text(at: place))
        }
        json.append("]")
        return json
    }
}
