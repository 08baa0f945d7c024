// Advertisements: reports of both formats, and their contents.

import Bluetooth
import Testing

@Suite struct `Advertising reports` {
    private static let flags: [UInt8] = [0x02, 0x01, 0x06]

    private static func heard(
        _ data: [ADStructure], isScanResponse: Bool = false, from address: BluetoothAddress = button
    ) -> Observation {
        Observation(address: address, .advertised(data, isScanResponse: isScanResponse))
    }

    /// One report of the extended format, with the bits of its type and its set.
    private static func extended(
        _ bits: UInt16, set: UInt8 = 0, addressKind: UInt8 = 1, _ data: [UInt8]
    ) -> [UInt8] {
        let type = [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
        return type + [addressKind] + buttonAddress
            + [0x01, 0x00, set]  // radio layers, set
            + [0x7F, 0xC4]  // unknown power, -60 dBm
            + [0x00, 0x00, 0x00] + [UInt8](repeating: 0, count: 6)  // no period, undirected
            + [UInt8(data.count)] + data
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let packet: [UInt8]
        let observations: [Observation]
    }

    static let rows = [
        Row(
            testDescription: "one report",
            packet: lowEnergyEvent([0x02, 0x01, 0x03, 0x01] + buttonAddress + [0x03] + flags + [0xC4]),
            observations: [heard([.flags(6)])]),
        Row(
            testDescription: "a report of nothing, of unknown strength",
            packet: lowEnergyEvent([0x02, 0x01, 0x00, 0x01] + buttonAddress + [0x00, 0x7F]),
            observations: [heard([])]),
        Row(
            testDescription: "three reports in one event",
            packet: lowEnergyEvent(
                [0x02, 0x03] + [0x00, 0x01] + buttonAddress + [0x03] + flags + [0xC4]  // the first
                    + [0x04, 0x01] + buttonAddress + [0x00] + [0xC5]  // its answer
                    + [0x02, 0x00] + [1, 0, 0, 0, 0, 0] + [0x00] + [0x01]),  // another device
            observations: [
                heard([.flags(6)]), heard([], isScanResponse: true),
                heard([], from: BluetoothAddress(rawValue: 1)),
            ]),
        Row(
            testDescription: "a report of a kind to come, and one behind it",
            packet: lowEnergyEvent(
                [0x02, 0x02] + [0x09, 0x01] + buttonAddress + [0x00, 0xC4] + [0x01, 0x01] + buttonAddress + [0x00, 0xC4]),
            observations: [heard([])]),
        Row(
            testDescription: "two reports, the second one truncated",
            packet: lowEnergyEvent(
                [0x02, 0x02] + [0x00, 0x01] + buttonAddress + [0x00, 0xC4] + [0x00, 0x01] + buttonAddress + [0x03] + flags),
            observations: [heard([])]),
        Row(
            testDescription: "more reports announced than there are",
            packet: lowEnergyEvent([0x02, 0xFF] + [0x00, 0x01] + buttonAddress + [0x00, 0xC4]),
            observations: [heard([])]),
        Row(testDescription: "no report", packet: lowEnergyEvent([0x02, 0x00]), observations: []),
        Row(testDescription: "no number of reports", packet: lowEnergyEvent([0x02]), observations: []),
        Row(
            testDescription: "extended: connectable", packet: lowEnergyEvent([0x0D, 0x01] + extended(0x01, flags)),
            observations: [heard([.flags(6)])]),
        Row(
            testDescription: "extended: a beacon of the older format",
            packet: lowEnergyEvent([0x0D, 0x01] + extended(0x10, flags)),
            observations: [heard([.flags(6)])]),
        Row(
            testDescription: "extended: an answer of the older format",
            packet: lowEnergyEvent([0x0D, 0x01] + extended(0x1B, [])),
            observations: [heard([], isScanResponse: true)]),
        Row(
            testDescription: "extended: directed, and scannable, in one event",
            packet: lowEnergyEvent([0x0D, 0x02] + extended(0x15, []) + extended(0x12, flags)),
            observations: [heard([]), heard([.flags(6)])]),
        Row(
            testDescription: "extended: anonymous",
            packet: lowEnergyEvent([0x0D, 0x01] + extended(0x10, addressKind: 0xFF, flags)),
            observations: []),
        Row(
            testDescription: "extended: cut", packet: lowEnergyEvent([0x0D, 0x01] + extended(0x10, flags).dropLast()),
            observations: []),
        Row(
            testDescription: "extended: truncated data, and the rest counts",
            packet: lowEnergyEvent([0x0D, 0x01] + extended(0x40, flags + [0x05, 0x09, 0x41])),
            observations: [heard([.flags(6)])]),
    ]

    @Test(arguments: rows) func `An advertising event is decoded to its reports`(row: Row) throws {
        for segmentation in Segmentation.allCases {
            #expect(try observations([h4Header, record(row.packet)], segmentation) == row.observations)
        }
        #expect(try observations([monitorHeader, record(Array(row.packet.dropFirst()), flags: 3)]) == row.observations)
    }

    @Test(arguments: Segmentation.allCases) func `A long advertisement in several reports is reassembled`(
        segmentation: Segmentation
    ) throws {
        let capture = [
            h4Header,
            record(lowEnergyEvent([0x0D, 0x01] + Self.extended(0x20, set: 1, Self.flags + [0x05, 0x09, 0x41]))),
            record(lowEnergyEvent([0x0D, 0x01] + Self.extended(0x20, set: 2, [0x03]))),  // another set, in between
            record(lowEnergyEvent([0x0D, 0x01] + Self.extended(0x20, set: 1, [0x42, 0x43]))),
            record(lowEnergyEvent([0x0D, 0x01] + Self.extended(0x00, set: 1, [0x44]))),
            record(lowEnergyEvent([0x0D, 0x01] + Self.extended(0x00, set: 2, [0x09, 0x58, 0x59]))),
        ]
        #expect(
            try observations(capture, segmentation) == [
                Self.heard([.flags(6), .name("ABCD", isComplete: true)]),
                Self.heard([.name("XY", isComplete: true)]),
            ])
    }

    @Test func `An endless advertisement is dropped, and the next one is reported`() throws {
        let more = record(lowEnergyEvent([0x0D, 0x01] + Self.extended(0x20, [UInt8](repeating: 1, count: 200))))
        let last = record(lowEnergyEvent([0x0D, 0x01] + Self.extended(0x00, Self.flags)))
        let capture = [h4Header] + Array(repeating: more, count: 20) + [last, last]
        var decoder = ObservationDecoder()
        var seen: [Observation] = []
        for record in try records(capture, .whole) {
            seen += decoder.decode(record)
            #expect(decoder.footprint < 1_750)
        }
        #expect(seen == [Self.heard([.flags(6)])])
    }
}
