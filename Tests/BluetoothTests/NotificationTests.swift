// Notifications and indications of attributes, and their fragments.

import Bluetooth
import Testing

@Suite struct `Notifications and indications` {
    /// A frame on the attribute channel, whole, from the connection 0x0040.
    private static func said(_ message: [UInt8]) -> [UInt8] {
        let length = UInt8(message.count)
        return [0x02, 0x40, 0x20, length + 4, 0x00, length, 0x00, 0x04, 0x00] + message
    }

    private static func notified(_ attribute: UInt16, _ value: [UInt8]) -> Observation {
        .notification(address: nil, AttributeHandle(rawValue: attribute), value: value)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let packet: [UInt8]
        let observations: [Observation]
    }

    static let rows = [
        Row(
            testDescription: "a notification", packet: said([0x1B, 0x2A, 0x00, 7, 8]), observations: [notified(0x2A, [7, 8])]),
        Row(testDescription: "one of nothing", packet: said([0x1B, 0xFF, 0xFF]), observations: [notified(0xFFFF, [])]),
        Row(
            testDescription: "an indication", packet: said([0x1D, 0x2A, 0x00, 7]),
            observations: [.notification(address: nil, value: [7], isIndication: true)]),
        Row(
            testDescription: "two values at once",
            packet: said([0x23, 0x2A, 0x00, 0x01, 0x00, 7, 0x2B, 0x00, 0x02, 0x00, 8, 9]),
            observations: [notified(0x2A, [7]), notified(0x2B, [8, 9])]),
        Row(
            testDescription: "two values, the second one truncated",
            packet: said([0x23, 0x2A, 0x00, 0x01, 0x00, 7, 0x2B, 0x00, 0x02, 0x00, 8]), observations: [notified(0x2A, [7])]),
        Row(testDescription: "a list of no values", packet: said([0x23]), observations: []),
        Row(testDescription: "a notification without its attribute", packet: said([0x1B, 0x2A]), observations: []),
        Row(testDescription: "an indication without its attribute", packet: said([0x1D]), observations: []),
        Row(testDescription: "a confirmation", packet: said([0x1E]), observations: []),
        Row(testDescription: "read by type", packet: said([0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28]), observations: []),
        Row(testDescription: "find information", packet: said([0x04, 0x01, 0x00, 0xFF, 0xFF]), observations: []),
        Row(testDescription: "a frame of nothing", packet: said([]), observations: []),
        Row(
            testDescription: "the same on another channel: signalling",
            packet: [0x02, 0x40, 0x20, 0x08, 0x00, 0x04, 0x00, 0x05, 0x00, 0x1B, 0x2A, 0x00, 7], observations: []),
        Row(
            testDescription: "to all devices at once",
            packet: [0x02, 0x40, 0x60, 0x08, 0x00, 0x04, 0x00, 0x04, 0x00, 0x1B, 0x2A, 0x00, 7], observations: []),
        Row(
            testDescription: "the first piece marked as the host does",
            packet: [0x02, 0x40, 0x00, 0x08, 0x00, 0x04, 0x00, 0x04, 0x00, 0x1B, 0x2A, 0x00, 7],
            observations: [notified(0x2A, [7])]),
        Row(
            testDescription: "more bytes than the packet has",
            packet: said([0x1B, 0x2A, 0x00, 7]) + [9, 9], observations: [notified(0x2A, [7])]),
        Row(testDescription: "less bytes than it has", packet: said([0x1B, 0x2A, 0x00, 7, 8]).dropLast(), observations: []),
        Row(testDescription: "a packet with a truncated header", packet: [0x02, 0x40, 0x20, 0x08], observations: []),
        Row(
            testDescription: "a frame that is longer than it says",
            packet: [0x02, 0x40, 0x20, 0x09, 0x00, 0x04, 0x00, 0x04, 0x00, 0x1B, 0x2A, 0x00, 7, 8], observations: []),
    ]

    @Test(arguments: rows) func `A packet is decoded to its notifications and indications`(row: Row) throws {
        for segmentation in Segmentation.allCases {
            #expect(try observations([h4Header, record(row.packet)], segmentation) == row.observations)
        }
        #expect(try observations([monitorHeader, record(Array(row.packet.dropFirst()), flags: 5)]) == row.observations)
    }

    @Test func `A notification that the recording host sent is not reported`() throws {
        #expect(
            try observations([h4Header, record(buttonNotifies, flags: 0), record(buttonNotifies, flags: 1)])
                == [strangerNotified])
    }
}

@Suite struct `Fragments` {
    /// A notification of the attribute 0x002A on the connection 0x0040: 01 02 03 04 05.
    private static let start: [UInt8] = [
        0x02, 0x40, 0x20, 0x05, 0x00,  // a first piece of 5 bytes
        0x08, 0x00, 0x04, 0x00,  // a frame of 8 bytes on the attribute channel
        0x1B,  // a notification
    ]
    private static let middle: [UInt8] = [
        0x02, 0x40, 0x10, 0x03, 0x00,  // a further piece of 3 bytes
        0x2A, 0x00, 0x01,  // of the attribute 0x002A
    ]
    private static let end: [UInt8] = [
        0x02, 0x40, 0x10, 0x04, 0x00,  // a further piece of 4 bytes
        0x02, 0x03, 0x04, 0x05,
    ]
    private static let put = Observation.notification(address: nil, value: [1, 2, 3, 4, 5])

    @Test(arguments: Segmentation.allCases)
    func `A notification split into three fragments is reassembled`(segmentation: Segmentation) throws {
        let capture = [h4Header, record(Self.start), record(Self.middle), record(Self.end)]
        #expect(try observations(capture, segmentation) == [Self.put])
    }

    @Test(arguments: Segmentation.allCases)
    func `A notification in one-byte fragments is reassembled, header included`(segmentation: Segmentation) throws {
        let frame = Self.start.dropFirst(5) + Self.middle.dropFirst(5) + Self.end.dropFirst(5)
        let pieces = frame.enumerated().map { index, byte in
            record([0x02, 0x40, index == 0 ? 0x20 : 0x10, 0x01, 0x00, byte])
        }
        #expect(try observations([h4Header] + pieces, segmentation) == [Self.put])
    }

    @Test func `Empty fragments change nothing`() throws {
        let nothing: [UInt8] = [0x02, 0x40, 0x10, 0x00, 0x00]
        let begin: [UInt8] = [0x02, 0x40, 0x20, 0x00, 0x00]
        let rest: [UInt8] = [0x02, 0x40, 0x10, 0x05, 0x00] + Self.start[5...]
        let pieces = [begin, nothing, rest, nothing, Self.middle, nothing, Self.end, nothing]
        #expect(try observations([h4Header] + pieces.map { record($0) }) == [Self.put])
    }

    @Test(arguments: Segmentation.allCases) func `Fragments of several connections may be interleaved`(
        segmentation: Segmentation
    ) throws {
        let other = [Self.start, Self.middle, Self.end].map { [$0[0], 0x41] + $0[2...] }
        let link = SimulatedLink(address: button, handle: ConnectionHandle(rawValue: 0x0041))
        let capture = [
            h4Header, record(link.connection.h4Bytes), record(Self.start), record(other[0]), record(other[1]),
            record(Self.middle), record(Self.end), record(other[2]),
        ]
        let putOther = Observation.notification(address: button, value: [1, 2, 3, 4, 5])
        #expect(
            try observations(capture, segmentation) == [Observation(address: button, .connected), Self.put, putOther])
    }

    @Test(arguments: Segmentation.allCases) func `Fragments that the host sent do not disturb those of a device`(
        segmentation: Segmentation
    ) throws {
        let capture = [
            h4Header, record(Self.start, flags: 1), record(Self.start, flags: 0), record(Self.middle, flags: 1),
            record(Self.middle, flags: 0), record(Self.end, flags: 0), record(Self.end, flags: 1),
        ]
        #expect(try observations(capture, segmentation) == [Self.put])
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let pieces: [[UInt8]]
        let count: Int
    }

    static let rows = [
        Row(testDescription: "the start is missing", pieces: [middle, end], count: 0),
        Row(
            testDescription: "the start is missing, and the next one is whole", pieces: [middle, end, start, middle, end],
            count: 1),
        Row(testDescription: "the middle is missing", pieces: [start, end], count: 0),
        Row(
            testDescription: "the middle is missing, and the next one is whole", pieces: [start, end, start, middle, end],
            count: 1),
        Row(
            testDescription: "the end is missing, and the next one is whole", pieces: [start, middle, start, middle, end],
            count: 1),
        Row(testDescription: "a piece comes twice", pieces: [start, middle, middle, end], count: 0),
        Row(testDescription: "the end comes twice", pieces: [start, middle, end, end], count: 1),
        Row(testDescription: "the recorder cut a piece", pieces: [start, middle.dropLast(), middle, end], count: 0),
        Row(
            testDescription: "the recorder cut a piece, and another one has just the bytes that are missing",
            pieces: [start, middle.dropLast(), [0x02, 0x40, 0x10, 0x05, 0x00, 9, 9, 9, 9, 9]], count: 0),
        Row(testDescription: "the recorder cut the end", pieces: [start, middle, end.dropLast(), end], count: 0),
        Row(testDescription: "the connection ends within it", pieces: [start, middle, buttonDisconnects, end], count: 0),
        Row(testDescription: "a new connection takes the handle", pieces: [start, middle, buttonConnects, end], count: 0),
        Row(testDescription: "the adapter is reset", pieces: [start, middle, [0x01, 0x03, 0x0C, 0x00], end], count: 0),
    ]

    @Test(arguments: rows, Segmentation.allCases)
    func `A lost or damaged fragment loses only its own frame`(row: Row, segmentation: Segmentation) throws {
        let seen = try observations([h4Header] + row.pieces.map { record($0) }, segmentation)
        #expect(seen.filter { $0 == Self.put }.count == row.count)
        #expect(!seen.contains { if case .notified = $0.action { $0 != Self.put } else { false } })
    }

    @Test func `A frame that is too long is skipped, and the next one is read`() throws {
        let head: [UInt8] = [0x02, 0x40, 0x20, 0x04, 0x00, 0x00, 0x20, 0x04, 0x00]  // a frame of 8,192 bytes
        let piece: [UInt8] = [0x02, 0x40, 0x10, 0x00, 0x04] + [UInt8](repeating: 0x1B, count: 1_024)
        let pieces = [head] + Array(repeating: piece, count: 8) + [Self.start, Self.middle, Self.end]
        var decoder = ObservationDecoder()
        var seen: [Observation] = []
        for packet in try records([h4Header] + pieces.map { record($0) }, .whole) {
            seen += decoder.decode(packet)
            #expect(decoder.footprint < 100)
        }
        #expect(seen == [Self.put])
        #expect(decoder.footprint == 0)
    }
}
