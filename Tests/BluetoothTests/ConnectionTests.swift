// Events of connections and disconnections, byte for byte.

import Bluetooth
import Testing

@Suite struct `Connections` {
    static let connected = Observation(address: button, .connected)
    static let disconnected = Observation(address: button, .disconnected)

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let packet: [UInt8]
        let observations: [Observation]
    }

    private static let address: [UInt8] = [0x56, 0x34, 0x12, 0xEE, 0xFF, 0xC0]

    static let rows = [
        Row(testDescription: "Low Energy", packet: buttonConnects, observations: [connected]),
        Row(
            testDescription: "Low Energy, enhanced",
            packet: [0x04, 0x3E, 0x1F, 0x0A, 0x00, 0x40, 0x00, 0x00, 0x01] + address
                + [UInt8](repeating: 0xAA, count: 12)  // two resolvable addresses
                + [0x18, 0x00, 0x00, 0x00, 0xF4, 0x01, 0x00],
            observations: [connected]),
        Row(
            testDescription: "Low Energy, enhanced once more",
            packet: [0x04, 0x3E, 0x22, 0x29, 0x00, 0x40, 0x00, 0x00, 0x01] + address
                + [UInt8](repeating: 0xAA, count: 12)
                + [0x18, 0x00, 0x00, 0x00, 0xF4, 0x01, 0x00, 0xFF, 0xFF, 0xFF],  // and the advertising and sync handles
            observations: [connected]),
        Row(
            testDescription: "classic",
            packet: [0x04, 0x03, 0x0B, 0x00, 0x40, 0x00] + address + [0x01, 0x00],  // a link for data, not encrypted
            observations: [connected]),
        Row(
            testDescription: "classic, for sound: the device was connected before",
            packet: [0x04, 0x03, 0x0B, 0x00, 0x40, 0x00] + address + [0x00, 0x00],
            observations: []),
        Row(
            testDescription: "classic, failed: page timeout",
            packet: [0x04, 0x03, 0x0B, 0x04, 0x00, 0x00] + address + [0x01, 0x00],
            observations: []),
        Row(
            testDescription: "Low Energy, failed: unknown connection",
            packet: [0x04, 0x3E, 0x13, 0x01, 0x02, 0x00, 0x00, 0x00, 0x00] + [UInt8](repeating: 0, count: 13),
            observations: []),
        Row(
            testDescription: "a truncated event", packet: buttonConnects.dropLast(), observations: []),
        Row(
            testDescription: "an event that claims to be shorter than its kind is",
            packet: [0x04, 0x3E, 0x12] + buttonConnects[3...], observations: []),
        Row(
            testDescription: "an enhanced one that is as short as a simple one",
            packet: [0x04, 0x3E, 0x13, 0x0A] + buttonConnects[4...], observations: []),
        Row(testDescription: "something behind the event", packet: buttonConnects + [0xFF], observations: [connected]),
        Row(testDescription: "an event of Low Energy that says nothing", packet: [0x04, 0x3E, 0x00], observations: []),
        Row(testDescription: "an event of Low Energy to come", packet: [0x04, 0x3E, 0x01, 0x7F], observations: []),
        Row(testDescription: "another event: command complete", packet: [0x04, 0x0E, 0x01, 0x01], observations: []),
        Row(testDescription: "no event at all", packet: [0x04], observations: []),
    ]

    @Test(arguments: rows) func `A connection event is decoded if it is valid and successful`(row: Row) throws {
        for segmentation in Segmentation.allCases {
            #expect(try observations([h4Header, record(row.packet)], segmentation) == row.observations)
        }
        #expect(try observations([monitorHeader, record(Array(row.packet.dropFirst()), flags: 3)]) == row.observations)
    }

    @Test(arguments: Segmentation.allCases) func `A connection has its device's address until it ends`(
        segmentation: Segmentation
    ) throws {
        let capture = [
            h4Header, record(buttonNotifies), record(buttonConnects), record(buttonNotifies),
            record(buttonDisconnects), record(buttonNotifies), record(buttonDisconnects),
        ]
        #expect(
            try observations(capture, segmentation) == [
                strangerNotified, Self.connected, buttonNotified, Self.disconnected, strangerNotified,
            ])
    }

    @Test func `A connection's handle is the lowest twelve bits of its number`() throws {
        let connects = [0x04, 0x3E, 0x13, 0x01, 0x00, 0x40, 0xF0] + buttonConnects[7...]
        #expect(
            try observations([h4Header, record(connects), record(buttonNotifies)]) == [Self.connected, buttonNotified])
    }

    @Test func `A device with two connections is reported as connected once and as disconnected once`() throws {
        let (connects, disconnects) = (Array(buttonConnects.dropFirst()), Array(buttonDisconnects.dropFirst()))
        let other: UInt32 = 0x0007_0000
        var decoder = ObservationDecoder()
        let seen = try records(
            [
                monitorHeader, record(connects, flags: 3), record(connects, flags: other | 3), record(connects, flags: 3),
                record(disconnects, flags: 3), record(disconnects, flags: other | 3), record(disconnects, flags: other | 3),
            ], .whole
        ).map { (decoder.decode($0), decoder.isConnected(button)) }
        #expect(seen.map(\.0) == [[Self.connected], [], [], [], [Self.disconnected], []])
        #expect(seen.map(\.1) == [true, true, true, true, false, false])
    }

    @Test func `A connection with a reused handle ends the handle's previous connection`() throws {
        let other = BluetoothAddress(rawValue: 1)
        let connects = SimulatedLink(address: other, handle: handle40).connection.h4Bytes
        let capture = [h4Header, record(buttonConnects), record(connects), record(buttonDisconnects)]
        #expect(
            try observations(capture) == [
                Self.connected, Self.disconnected, Observation(address: other, .connected),
                Observation(address: other, .disconnected),
            ])
    }

    @Test func `The oldest connection beyond the limit of open ones is reported as ended`() {
        var decoder = ObservationDecoder()
        let addresses = (0...1_024).map { BluetoothAddress(rawValue: UInt64($0 + 1)) }
        let seen = addresses.enumerated().map { number, address in
            decoder.decode(SimulatedLink(address: address, handle: .init(rawValue: UInt16(number))).connection)
        }
        let connections = addresses.map { Observation(address: $0, .connected) }
        #expect(seen.dropLast() == connections.dropLast().map { [$0] })
        #expect(seen.last == [Observation(address: addresses[0], .disconnected), connections[1_024]])
        #expect(!decoder.isConnected(addresses[0]))
    }

    @Test func `A failed disconnection does not end the connection`() throws {
        let failed: [UInt8] = [0x04, 0x05, 0x04, 0x02, 0x40, 0x00, 0x13]  // unknown connection
        let capture = [h4Header, record(buttonConnects), record(failed), record(buttonNotifies)]
        #expect(try observations(capture) == [Self.connected, buttonNotified])
    }

    @Test func `The same handle on two adapters denotes two connections`() throws {
        let other: UInt32 = 0x0001_0000
        let capture = [
            monitorHeader, record(Array(buttonConnects.dropFirst()), flags: 3),
            record(Array(buttonNotifies.dropFirst()), flags: other | 5),
            record(Array(buttonDisconnects.dropFirst()), flags: other | 3),
            record(Array(buttonNotifies.dropFirst()), flags: 5),
        ]
        #expect(try observations(capture) == [Self.connected, strangerNotified, buttonNotified])
    }

    @Test(arguments: [0, 1, 8, 9] as [UInt32])
    func `An adapter that is added, removed, opened or closed loses its connections`(opcode: UInt32) throws {
        let devices = [2, 1, 3].map { BluetoothAddress(rawValue: $0) }
        let connects = zip(devices, [0x0040, 0x003F, 0x0040]).map { address, handle in
            Array(SimulatedLink(address: address, handle: .init(rawValue: handle)).connection.payload)
        }
        let third: UInt32 = 0x0001_0000
        let capture = [
            monitorHeader, record(connects[0], flags: 3), record(connects[1], flags: 3), record(connects[2], flags: third | 3),
            record([], flags: opcode), record(Array(buttonNotifies.dropFirst()), flags: third | 5),
        ]
        #expect(
            try observations(capture)
                == devices.map { Observation(address: $0, .connected) } + [
                    Observation(address: devices[1], .disconnected), Observation(address: devices[0], .disconnected),
                    .notification(address: devices[2], value: [1, 2]),
                ])
    }

    @Test func `An adapter reset ends all its connections`() throws {
        let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
        let capture = [h4Header, record(buttonConnects), record(reset, flags: 2), record(buttonNotifies)]
        #expect(try observations(capture) == [Self.connected, Self.disconnected, strangerNotified])
    }
}
