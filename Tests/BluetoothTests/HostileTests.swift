// Hostile packets and captures neither crash the decoder nor grow its memory without limit.

import Bluetooth
import Seeds
import Testing

/// Makes invalid packets, most of them nearly valid.
private struct HostilePackets {
    var random: SeededGenerator
    private let samples: [[UInt8]]

    init(_ name: String, seed: UInt64) throws {
        random = .announced(name, seed: seed)
        let link = SimulatedLink(address: button, handle: handle40, fragmentSize: 27)
        let notification = try link.notification(attribute2A, Array(0..<60))
        let indication = try link.indication(attribute2A, [7])
        let advertisement = try HCIPacket.advertisement(
            from: button, .connectable, [.flags(6), .name("button", isComplete: true)])
        let simulated = [link.connection, link.disconnection, advertisement] + notification + indication
        let extended: [UInt8] = [0x04, 0x3E, 0x1C, 0x0D, 0x01, 0x20] + [UInt8](repeating: 1, count: 22) + [2, 1, 6]
        let several: [UInt8] = [0x02, 0x40, 0x20, 0x0E, 0x00, 0x0A, 0x00, 0x04, 0x00, 0x23, 1, 0, 1, 0, 9, 2, 0, 0, 0]
        samples = simulated.map(\.h4Bytes) + [extended, several, [0x01, 0x03, 0x0C, 0x00]]
    }

    mutating func packet() -> [UInt8] {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: noise(upTo: 80)
        case 1: [UInt8.random(in: 0...6, using: &random)] + noise(upTo: 300)
        case 2: lowEnergyEvent()
        case 3: data()
        default: mutated(samples.randomElement(using: &random) ?? [])
        }
    }

    mutating func noise(upTo longest: Int) -> [UInt8] {
        (0..<Int.random(in: 0...longest, using: &random)).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
    }

    /// An event with a valid length and invalid reports.
    private mutating func lowEnergyEvent() -> [UInt8] {
        let content = noise(upTo: 200)
        let kind: UInt8 = [0x01, 0x02, 0x0A, 0x0D, 0x29].randomElement(using: &random) ?? 0x02
        return [0x04, 0x3E, UInt8(content.count + 1), kind] + content
    }

    /// Data of any connection: first and further fragments in any order, of any length.
    private mutating func data() -> [UInt8] {
        let content = noise(upTo: 200)
        let handle = UInt16.random(in: 0 ... .max, using: &random)
        return [0x02, UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8), UInt8(content.count), 0x00] + content
    }

    mutating func mutated(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            guard let index = bytes.indices.randomElement(using: &random) else { break }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[index] = .random(in: 0 ... .max, using: &random)
            case 1: bytes[index] = [0x00, 0xFF, 0x7F, 0x80].randomElement(using: &random) ?? 0
            case 2: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 3: bytes.removeLast(bytes.count - index)
            case 4: bytes.insert(contentsOf: noise(upTo: 8), at: index)
            default: bytes.removeSubrange(index..<Int.random(in: index...bytes.count, using: &random))
            }
        }
        return bytes
    }
}

@Suite struct `Hostile bytes` {
    @Test func `200,000 hostile packets neither crash a decoder nor make it grow`() throws {
        var packets = try HostilePackets("hostile packets", seed: 7)
        var decoder = ObservationDecoder()
        var seen = 0
        for number in 0..<200_000 {
            let bytes = packets.packet()
            let isH4 = Bool.random(using: &packets.random)
            let record = CaptureRecord(
                datalink: isH4 ? .h4 : .monitor, time: hostileTime(number, &packets.random),
                flags: hostileFlags(isH4: isH4, &packets.random), bytes: isH4 ? bytes : Array(bytes.dropFirst()))
            seen += decoder.decode(record).count
            if number.isMultiple(of: 1_000) { #expect(decoder.footprint < 3_000_000) }
        }
        print("hostile packets: \(seen) observations, \(decoder.footprint) bytes kept")
        #expect(seen > 10_000)
        #expect(decoder.footprint < 3_000_000)
    }

    private func hostileTime(_ number: Int, _ random: inout SeededGenerator) -> CaptureTime {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: CaptureTime(microsecondsSinceYearZero: .random(in: .min ... .max, using: &random))
        case 1: CaptureTime(microsecondsSinceYearZero: [.min, .max, 0].randomElement(using: &random) ?? 0)
        default: CaptureTime(microsecondsSince1970: Int64(number) * 1_000)
        }
    }

    private func hostileFlags(isH4: Bool, _ random: inout SeededGenerator) -> UInt32 {
        let anything = UInt32.random(in: 0 ... .max, using: &random)
        let likely: [UInt32] = isH4 ? [0, 1, 2, 3] : [3, 3, 4, 5, 5, 0x0001_0003, 0x0001_0005, 1, 9]
        return Int.random(in: 0..<10, using: &random) == 0 ? anything : likely.randomElement(using: &random) ?? 0
    }

    @Test func `20,000 damaged captures are read to their end or to their first fault`() throws {
        var packets = try HostilePackets("hostile captures", seed: 8)
        var (ended, failed) = (0, 0)
        for _ in 0..<20_000 {
            let header = Bool.random(using: &packets.random) ? h4Header : monitorHeader
            let parts = (0..<Int.random(in: 0...6, using: &packets.random)).map { _ in record(packets.packet()) }
            let capture = packets.mutated(header + parts.joined())
            if try readInPieces(capture, &packets.random) { ended += 1 } else { failed += 1 }
        }
        print("hostile captures: \(ended) read to the end, \(failed) to a fault")
        #expect(ended > 1_000 && failed > 1_000)
    }

    /// Checks that pieces of random sizes read like one piece. Returns whether there is no fault.
    private func readInPieces(_ capture: [UInt8], _ random: inout SeededGenerator) throws -> Bool {
        var (reader, decoder, count) = (CaptureReader(), ObservationDecoder(), 0)
        var rest = capture[...]
        let expected = failure(of: [capture], .coalesced)
        do throws(CaptureError) {
            while !rest.isEmpty {
                let piece = rest.prefix(.random(in: 1...60, using: &random))
                rest = rest.dropFirst(piece.count)
                reader.feed(piece)
                while let record = try reader.next() {
                    count += 1
                    _ = decoder.decode(record)
                }
            }
            try reader.finish()
            #expect(expected.error == nil && expected.recordCount == count)
            return true
        } catch {
            #expect(expected.error == error && expected.recordCount == count)
            #expect(reader.unreadByteCount <= capture.count)
            return false
        }
    }

    @Test func `Endless connections use bounded memory`() {
        var decoder = ObservationDecoder()
        for adapter in UInt16(0)..<20 {
            for number in UInt16(0)...ConnectionHandle.highest {
                let link = SimulatedLink(address: button, handle: ConnectionHandle(rawValue: number))
                #expect(decoder.decode(link.connection, adapter: adapter).count == (adapter == 0 && number == 0 ? 1 : 0))
            }
        }
        #expect(decoder.footprint < 100_000)
    }

    @Test func `Endless incomplete frames use bounded memory`() {
        var decoder = ObservationDecoder()
        let head: [UInt8] = [0x00, 0x08, 0xFC, 0x0F, 0x04, 0x00]  // 2,048 bytes of a frame of 4,092
        for handle in UInt16(0)..<0x1000 {
            let wire = [UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)]
            let bytes = wire + head + [UInt8](repeating: 0, count: 2_044)
            let packet = HCIPacket(.acl, .received, bytes[...])
            #expect(decoder.decode(packet).isEmpty)
        }
        #expect(decoder.footprint < 128 * 2_200)
    }
}
