// Recordings of simulated devices, read back and replayed.

import Bluetooth
import Foundation
import Testing
@testable import Devices

/// Returns the observations in a capture file as short texts, each with the time of its record.
func observations(_ path: String) throws -> [(brief: String, time: CaptureTime)] {
    let file = try CaptureFile(path)
    var decoder = ObservationDecoder()
    var seen: [(String, CaptureTime)] = []
    while let record = try file.next() {
        seen += decoder.decode(record).map { (brief($0, record.bytes), record.time) }
    }
    return seen
}

private func brief(_ observation: Observation, _ packet: [UInt8]) -> String {
    let address = observation.address?.description ?? "somebody"
    return switch observation.action {
    case .connected: "\(address) connected"
    case .disconnected: "\(address) gone"
    case .notified(let attribute, let value, let isIndication):
        "\(address) \(attribute) \(value.hexadecimal)\(isIndication ? "!" : "")"
    // The sixth byte is how it can be connected to.
    case .advertised(let data, _): "\(address) \(packet[5] == 3 ? "nonConnectable" : "connectable") \(data)"
    }
}

@Suite struct `A recording` {
    private func play(_ host: DeviceHost) {
        for line in [
            "BLUETOOTH NOTIFY button", "ADVANCE 1500ms", "BLUETOOTH CONNECT bell", "BLUETOOTH NOTIFY bell", "ADVANCE 250ms",
            "BLUETOOTH NOTIFY dial 0x0021 0102", "BLUETOOTH NOTIFY dial 0x0021 0102", "BLUETOOTH ADVERTISE beacon",
            "ADVANCE 2s",
            "BLUETOOTH ADVERTISE beacon", "BLUETOOTH DISCONNECT bell", "ADVANCE 100us",
            "BLUETOOTH NOTIFY dial 0x0021 02\(String(repeating: "05", count: 400))", "ADVANCE 20s",
            "BLUETOOTH ADVERTISE beacon",
        ] { host.say(line) }
    }

    private func recorded(_ name: String) throws -> (host: DeviceHost, path: String) {
        let host = try DeviceHost(nil)
        let path = host.folder.appending(path: name).path
        try host.source.open(devices: host.file("devices.json", exampleDevices), replay: nil, record: path)
        play(host)
        host.source.stop()
        return (host, path)
    }

    @Test func `A recording ends at the limit record-bytes with a log line, and sessions continue`() throws {
        let host = try DeviceHost(nil)
        host.source.host.limits.recordBytes = 4_096
        let path = host.folder.appending(path: "full.btsnoop").path
        try host.source.open(devices: host.file("devices.json", exampleDevices), replay: nil, record: path)
        for _ in 0..<200 { host.say("BLUETOOTH NOTIFY button") }
        #expect(host.log.count { $0.contains("has ended") } == 1)
        #expect(host.log.contains { $0.contains("the limit record-bytes is 4096 (--limit record-bytes=N)") })
        let size = try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect((3_900...4_096).contains(size))
        #expect(try observations(path).count > 50, "whole records")
        #expect(host.say("PING").contains("PONG"))
    }

    @Test func `A recording is not written through a symbolic link`() throws {
        let host = try DeviceHost(nil)
        let (link, victim) = (host.folder.appending(path: "link").path, host.folder.appending(path: "victim").path)
        try Data().write(to: URL(fileURLWithPath: victim))
        try #require(symlink(victim, link) == 0)
        let error = #expect(throws: BluetoothFileError.self) { try host.source.record(link) }
        #expect(error?.description == "cannot record to \(link): it is a symbolic link, which is not followed here")
        #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == Data())
    }

    @Test func `A recording read back has every action of the devices at its time`() throws {
        let (host, path) = try recorded("a.btsnoop")
        let seen = try observations(path)
        #expect(
            seen.map(\.brief) == [
                "C0:FF:EE:12:34:56 connected", "C0:FF:EE:00:00:03 connected", "C0:FF:EE:12:34:56 0x002A 0102",
                "C0:FF:EE:00:00:02 connected", "C0:FF:EE:00:00:02 0x0010 01!", "C0:FF:EE:00:00:03 0x0021 0102",
                "C0:FF:EE:00:00:03 0x0021 0102",
                "C0:FF:EE:00:00:04 nonConnectable [Bluetooth.ADStructure.flags(6), Bluetooth.ADStructure.serviceData(Bluetooth.ServiceUUID.short(65194), [0]), Bluetooth.ADStructure.name(\"beacon\", isComplete: true)]",
                "C0:FF:EE:00:00:04 nonConnectable [Bluetooth.ADStructure.flags(6), Bluetooth.ADStructure.serviceData(Bluetooth.ServiceUUID.short(65194), [0]), Bluetooth.ADStructure.name(\"beacon\", isComplete: true)]",
                "C0:FF:EE:00:00:02 gone", "C0:FF:EE:00:00:03 0x0021 02\(String(repeating: "05", count: 400))",
                "C0:FF:EE:00:00:04 nonConnectable [Bluetooth.ADStructure.flags(6), Bluetooth.ADStructure.serviceData(Bluetooth.ServiceUUID.short(65194), [0]), Bluetooth.ADStructure.name(\"beacon\", isComplete: true)]",
            ])
        let start = CaptureTime(microsecondsSince1970: 946_684_800_000_000)
        #expect(
            seen.map { start.duration(to: $0.time) } == [
                .zero, .zero, .zero, .milliseconds(1500), .milliseconds(1500), .milliseconds(1750), .milliseconds(1750),
                .milliseconds(1750), .milliseconds(3750), .milliseconds(3750), .microseconds(3_750_100),
                .microseconds(23_750_100),
            ])
        #expect(host.log == [])
    }

    @Test func `Recordings of the same events in virtual time are identical, byte for byte`() throws {
        let (first, firstPath) = try recorded("a.btsnoop")
        let (second, secondPath) = try recorded("b.btsnoop")
        #expect(try Data(contentsOf: URL(fileURLWithPath: firstPath)) == Data(contentsOf: URL(fileURLWithPath: secondPath)))
        withExtendedLifetime((first, second)) {}
    }

    @Test func `A replayed recording delivers the same events at the same instants`() throws {
        let (original, path) = try recorded("a.btsnoop")
        let again = try DeviceHost()
        try again.replay([UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
        again.say("ADVANCE 1m")
        original.say("ADVANCE 36249900us")
        for session in ["main", "hall"] {
            #expect(try original.history(session).count > 2)
            #expect(try again.history(session) == original.history(session))
        }
        #expect(
            again.log.last?.hasSuffix(
                """
                is over: records 20; events accepted 8, refused 1, for missing sessions 0; repeated advertisements 1; \
                devices not in the device file 0
                """) == true, "\(again.log)")
    }

    @Test func `A recording is never written over a file that is not a capture`() throws {
        let host = try DeviceHost()
        let path = try host.file("precious.txt", "precious, and longer than sixteen bytes")
        let error = #expect(throws: BluetoothFileError.self) { try host.source.record(path) }
        #expect(error?.description == "cannot record to \(path): it holds something other than a btsnoop capture")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious, and longer than sixteen bytes")
    }

    @Test func `A recording is never written over the replayed capture, even through a hard link`() throws {
        let host = try DeviceHost()
        var capture = CaptureBuilder(.h4)
        capture.add([try simulatedLink("C0:FF:EE:12:34:56", 1).connection], atMilliseconds: 0)
        let path = try host.file("capture.btsnoop", capture.bytes)
        let other = host.folder.appending(path: "link.btsnoop").path
        try FileManager.default.linkItem(atPath: path, toPath: other)
        try host.source.replay(path)
        let error = #expect(throws: BluetoothFileError.self) { try host.source.record(other) }
        #expect(error?.description == "cannot record to \(other): it is the capture that is being replayed")
        #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == capture.bytes)
    }

    @Test func `A recording replaces an older recording at its path`() throws {
        let (host, path) = try recorded("a.btsnoop")
        let long = try Data(contentsOf: URL(fileURLWithPath: path)).count
        try host.source.record(path)
        host.say("BLUETOOTH NOTIFY button")
        host.source.stop()
        #expect(
            try observations(path).map(\.brief) == [
                "C0:FF:EE:12:34:56 connected", "C0:FF:EE:00:00:03 connected", "C0:FF:EE:12:34:56 0x002A 0102",
            ])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < long)
    }

    @Test func `A recording that another daemon is writing is left untouched until that daemon has ended`() throws {
        let (host, other) = (try DeviceHost(), try DeviceHost())
        let path = host.folder.appending(path: "a.btsnoop").path
        try host.source.record(path)
        host.say("BLUETOOTH NOTIFY button")
        host.source.flush()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let error = #expect(throws: BluetoothFileError.self) { try other.source.record(path) }
        #expect(error?.description == "cannot record to \(path): another daemon records to it")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        host.source.stop()
        try other.source.record(path)
        other.source.stop()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count < before.count)
    }

    @Test func `A mistake in the device file leaves an older recording untouched`() throws {
        let (host, path) = try recorded("a.btsnoop")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        let wrong = try host.file("wrong.json", "{}")
        #expect(throws: BluetoothFileError.self) { try host.source.open(devices: wrong, replay: nil, record: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func `A recording to a full disk ends with a log line, and the devices continue`() throws {
        let host = try DeviceHost()
        try host.source.record("/dev/full")
        for _ in 0..<3 {
            #expect(host.say("BLUETOOTH NOTIFY button 1 07") == "0")
            host.source.flush()
        }
        #expect(
            host.log == ["recording to /dev/full has ended: No space left on device; the devices continue without a recording"]
        )
        #expect(host.say("BLUETOOTH NOTIFY button") == "1")
    }
}
