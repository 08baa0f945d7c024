// The packets of simulated devices, byte for byte and decoded again.

import Bluetooth
import Seeds
import Testing

@Suite struct `Simulated packets` {
    private func link(fragmentSize: Int = 251) -> SimulatedLink {
        SimulatedLink(address: button, handle: handle40, fragmentSize: fragmentSize)
    }

    @Test func `A simulated connection is the event that an adapter reports`() {
        let withPublicAddress = buttonConnects[..<8] + [0x00] + buttonConnects[9...]
        #expect(link().connection.h4Bytes == Array(withPublicAddress))
    }

    @Test func `A simulated disconnection is the event that an adapter reports`() {
        #expect(link().disconnection.h4Bytes == buttonDisconnects)
    }

    @Test func `A simulated notification is the packet that a device sends`() throws {
        #expect(try link().notification(attribute2A, [1, 2]).map(\.h4Bytes) == [buttonNotifies])
    }

    @Test func `A simulated MTU exchange requests and grants 517 bytes`() {
        let packets = link().mtuExchange
        #expect(packets.map(\.direction) == [.sent, .received])
        #expect(
            packets.map(\.h4Bytes) == [
                [0x02, 0x40, 0x00, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x02, 0x05, 0x02],
                [0x02, 0x40, 0x20, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x03, 0x05, 0x02],
            ])
    }

    @Test func `A simulated indication is followed by its confirmation`() throws {
        let packets = try link().indication(attribute2A, [7])
        #expect(packets.map(\.direction) == [.received, .sent])
        #expect(
            packets.map(\.h4Bytes) == [
                [0x02, 0x40, 0x20, 0x08, 0x00, 0x04, 0x00, 0x04, 0x00, 0x1D, 0x2A, 0x00, 0x07],
                [0x02, 0x40, 0x00, 0x05, 0x00, 0x01, 0x00, 0x04, 0x00, 0x1E],
            ])
    }

    @Test func `A long value is split into fragments of the adapter's size`() throws {
        let packets = try link(fragmentSize: 27).notification(attribute2A, Array(0..<60))
        #expect(
            packets.map { Array($0.h4Bytes.prefix(5)) } == [
                [0x02, 0x40, 0x20, 27, 0x00],  // the first piece
                [0x02, 0x40, 0x10, 27, 0x00],  // a further one
                [0x02, 0x40, 0x10, 13, 0x00],  // 60 bytes, and 7 for the two heads, are 67
            ])
        #expect(packets.flatMap { $0.h4Bytes.dropFirst(5) } == [0x3F, 0x00, 0x04, 0x00, 0x1B, 0x2A, 0x00] + Array(0..<60))
    }

    @Test func `A value that just fits has no empty fragment after it`() throws {
        #expect(try link(fragmentSize: 27).notification(attribute2A, Array(0..<20)).count == 1)
        #expect(try link(fragmentSize: 27).notification(attribute2A, Array(0..<21)).count == 2)
    }

    @Test func `A recorded capture begins with its header and keeps the caller's time`() throws {
        #expect(Datalink.h4.header == h4Header)
        #expect(Datalink.monitor.header == monitorHeader)
        let time = CaptureTime(microsecondsSince1970: 946_684_800_250_000)
        let notification = try #require(try link().notification(attribute2A, [1, 2]).first)
        #expect(
            CaptureRecord(notification, at: time, on: .h4).serialized == record(buttonNotifies, flags: 1, milliseconds: 250))
        #expect(
            CaptureRecord(link().connection, at: time, on: .h4).serialized.prefix(12)
                == record([UInt8](repeating: 0, count: 22), flags: 3).prefix(12))
        #expect(
            CaptureRecord(notification, at: time, adapter: 2, on: .monitor).serialized
                == record(Array(buttonNotifies.dropFirst()), flags: 0x0002_0005, milliseconds: 250))
    }

    @Test func `A packet that no device can send is refused with an error`() throws {
        #expect(throws: BluetoothError.valueTooLong(byteCount: 513, limit: 512)) {
            try link().notification(attribute2A, [UInt8](repeating: 0, count: 513))
        }
        #expect(throws: BluetoothError.valueTooLong(byteCount: 70_000, limit: 512)) {
            try link().indication(attribute2A, [UInt8](repeating: 0, count: 70_000))
        }
        let name = String(repeating: "x", count: 300)
        #expect(throws: BluetoothError.advertisementTooLong(byteCount: 305, limit: 31)) {
            try HCIPacket.advertisement(from: button, .connectable, [.flags(6), .name(name, isComplete: true)])
        }
    }
}

/// Random packets of many links, and the expected observations.
private struct Traffic {
    var random: SeededGenerator
    let links: [SimulatedLink]
    var packets: [HCIPacket] = []
    var expected: [Observation] = []

    init(seed: UInt64, named name: String) {
        random = .announced(name, seed: seed)
        links = (0..<20).map { number in
            SimulatedLink(
                address: BluetoothAddress(rawValue: UInt64(number)), handle: ConnectionHandle(rawValue: number),
                fragmentSize: [27, 28, 100, 251, 65_535][Int(number) % 5])
        }
        for link in links {
            packets += [link.connection] + link.mtuExchange
            expected.append(Observation(address: link.address, .connected))
        }
    }

    /// Several links send at once: their packets are interleaved, each link's in order.
    mutating func speak() throws {
        var queues: [(packets: ArraySlice<HCIPacket>, seen: Observation)] = []
        for link in links.shuffled(using: &random).prefix(4) { queues.append(try something(link)) }
        while let index = queues.indices.randomElement(using: &random) {
            guard let packet = queues[index].packets.popFirst() else {
                queues.remove(at: index)
                continue
            }
            packets.append(packet)
            let left = queues[index].packets.filter { $0.direction == .received }
            if left.isEmpty && packet.direction == .received { expected.append(queues[index].seen) }
        }
    }

    private mutating func something(
        _ link: SimulatedLink
    ) throws -> (packets: ArraySlice<HCIPacket>, seen: Observation) {
        let attribute = AttributeHandle(rawValue: .random(in: 1 ... .max, using: &random))
        let value = (0..<Int.random(in: 0...512, using: &random)).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            let kind = AdvertisingKind.allCases.randomElement(using: &random) ?? .connectable
            let data = [ADStructure.manufacturerData(company: attribute.rawValue, Array(value.prefix(27)))]
            let packet = try HCIPacket.advertisement(from: link.address, kind, data)
            let action = Observation.Action.advertised(data, isScanResponse: kind == .scanResponse)
            return ([packet], Observation(address: link.address, action))
        case 1:
            return (
                try link.notification(attribute, value)[...],
                .notification(address: link.address, attribute, value: value)
            )
        default:
            return (
                try link.indication(attribute, value)[...],
                .notification(address: link.address, attribute, value: value, isIndication: true)
            )
        }
    }

    mutating func part() {
        for link in links {
            packets.append(link.disconnection)
            expected.append(Observation(address: link.address, .disconnected))
        }
    }
}

@Suite struct `Round trips of simulated packets` {
    @Test(arguments: Datalink.allCases, Segmentation.allCases)
    func `The decoder reports exactly the events that 20 simulated devices send`(datalink: Datalink, segmentation: Segmentation)
        throws
    {
        var traffic = Traffic(seed: 11, named: "there and back again, \(datalink), \(segmentation)")
        for _ in 0..<100 { try traffic.speak() }
        traffic.part()
        let start = CaptureTime(microsecondsSince1970: 1_700_000_000_000_000)
        let capture = traffic.packets.enumerated().map { index, packet in
            CaptureRecord(packet, at: start.advanced(by: .milliseconds(index)), on: datalink).serialized
        }
        #expect(try observations([datalink.header] + capture, segmentation) == traffic.expected)
    }
}
