// The structures of advertisements, byte for byte, decoded from their reports.

import Bluetooth
import Testing

@Suite struct `The structures of an advertisement` {
    /// A beacon's legacy report, of unknown signal strength.
    private func packet(carrying data: [UInt8]) -> [UInt8] {
        lowEnergyEvent([0x02, 0x01, 0x03, 0x00] + buttonAddress + [UInt8(data.count)] + data + [0x7F])
    }

    private func structures(_ data: [UInt8]) throws -> [ADStructure] {
        let seen = try observations([h4Header, record(packet(carrying: data))])
        guard case .advertised(let structures, _)? = seen.first?.action, seen.count == 1 else {
            Issue.record("the packet is no advertisement: \(seen)")
            return []
        }
        return structures
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let data: [UInt8]
        let structures: [ADStructure]
    }

    private static let uart = ServiceUUID.long(0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)
    private static let uartBytes: [UInt8] = [
        0x9E, 0xCA, 0xDC, 0x24, 0x0E, 0xE5, 0xA9, 0xE0, 0x93, 0xF3, 0xA3, 0xB5, 0x01, 0x00, 0x40, 0x6E,
    ]
    private static let battery = ServiceUUID.short(0x180F)
    private static let heartRate = ServiceUUID.short(0x180D)

    static let wellFormed = [
        Row(testDescription: "flags", data: [2, 0x01, 0x06], structures: [.flags(6)]),
        Row(
            testDescription: "all its services of 16 bits", data: [5, 0x03, 0x0F, 0x18, 0x0D, 0x18],
            structures: [.services([battery, heartRate], isComplete: true)]),
        Row(
            testDescription: "some of them", data: [3, 0x02, 0x0F, 0x18],
            structures: [.services([battery], isComplete: false)]),
        Row(
            testDescription: "all its services of 128 bits", data: [17, 0x07] + uartBytes,
            structures: [.services([uart], isComplete: true)]),
        Row(
            testDescription: "some of them, long", data: [17, 0x06] + uartBytes,
            structures: [.services([uart], isComplete: false)]),
        Row(
            testDescription: "a name", data: [5, 0x09, 0x42, 0xC3, 0xA4, 0x72],
            structures: [.name("Bär", isComplete: true)]),
        Row(
            testDescription: "the beginning of a name", data: [3, 0x08, 0x42, 0x75],
            structures: [.name("Bu", isComplete: false)]),
        Row(testDescription: "the power of sending", data: [2, 0x0A, 0xF8], structures: [.txPower(-8)]),
        Row(
            testDescription: "a battery at 99 percent", data: [4, 0x16, 0x0F, 0x18, 99],
            structures: [.serviceData(battery, [99])]),
        Row(
            testDescription: "what a long service says", data: [18, 0x21] + uartBytes + [7],
            structures: [.serviceData(uart, [7])]),
        Row(
            testDescription: "what a manufacturer says", data: [5, 0xFF, 0x4C, 0x00, 0x02, 0x15],
            structures: [.manufacturerData(company: 0x004C, [0x02, 0x15])]),
        Row(
            testDescription: "another type: appearance", data: [3, 0x19, 0xC1, 0x03],
            structures: [.other(type: 0x19, [0xC1, 0x03])]),
        Row(
            testDescription: "several in a row", data: [2, 0x01, 0x06, 2, 0x0A, 0x04, 1, 0x09],
            structures: [.flags(6), .txPower(4), .name("", isComplete: true)]),
    ]

    private static let batteryBytes: [UInt8] = [
        0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00, 0x0F, 0x18, 0x00, 0x00,
    ]

    /// They are sent in the short form.
    static let assignedInLongForm = [
        Row(
            testDescription: "what a long form of a battery says", data: [18, 0x21] + batteryBytes + [99],
            structures: [.serviceData(battery, [99])]),
        Row(
            testDescription: "a battery among long services", data: [33, 0x07] + uartBytes + batteryBytes,
            structures: [.services([uart, battery], isComplete: true)]),
    ]

    static let malformed = [
        Row(testDescription: "nothing", data: [], structures: []),
        Row(testDescription: "zeros behind it", data: [2, 0x01, 0x06, 0, 0, 0], structures: [.flags(6)]),
        Row(testDescription: "nothing counts behind a zero", data: [2, 0x01, 0x06, 0, 2, 0x0A, 0x04], structures: [.flags(6)]),
        Row(testDescription: "a structure beyond the end", data: [2, 0x01, 0x06, 9, 0x09, 0x42], structures: [.flags(6)]),
        Row(testDescription: "a length and nothing else", data: [2, 0x01, 0x06, 0xFF], structures: [.flags(6)]),
        Row(testDescription: "flags without any", data: [1, 0x01], structures: [.other(type: 0x01, [])]),
        Row(
            testDescription: "one and a half services", data: [4, 0x03, 0x0F, 0x18, 0x0D],
            structures: [.other(type: 0x03, [0x0F, 0x18, 0x0D])]),
        Row(testDescription: "data of half a service", data: [2, 0x16, 0x0F], structures: [.other(type: 0x16, [0x0F])]),
        Row(testDescription: "half a company", data: [2, 0xFF, 0x4C], structures: [.other(type: 0xFF, [0x4C])]),
        Row(
            testDescription: "a name that is no text", data: [3, 0x09, 0x42, 0xFF],
            structures: [.name("B\u{FFFD}", isComplete: true)]),
        Row(testDescription: "more flags than there are", data: [3, 0x01, 0x06, 0x01], structures: [.flags(6)]),
    ]

    @Test(arguments: wellFormed + assignedInLongForm + malformed)
    func `An advertisement's structures are decoded`(row: Row) throws {
        #expect(try structures(row.data) == row.structures)
    }

    @Test(arguments: wellFormed) func `Each structure that can be decoded can be encoded`(row: Row) throws {
        let packet = try HCIPacket.advertisement(from: button, .nonConnectable, row.structures)
        #expect(packet.h4Bytes == self.packet(carrying: row.data))
    }
}
