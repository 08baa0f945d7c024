// Replays of captures.

import Bluetooth
import Foundation
import Seeds
import Testing
import Timers
@testable import Commands
@testable import Devices

/// A button connects at 0 s, is pressed at 1.25 s and 4 s, and disconnects at 5 s. A bell connects at 2 s and rings at 2.5 s.
private func evening(_ datalink: Datalink) throws -> Tape {
    var tape = Tape(datalink)
    let button = try link("C0:FF:EE:12:34:56", 0x40)
    let bell = try link("C0:FF:EE:00:00:02", 0x41)
    tape.add([button.connection] + button.mtuExchange, atMilliseconds: 0)
    tape.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 1_250)
    tape.add([bell.connection], atMilliseconds: 2_000)
    tape.add(try bell.indication(.init(rawValue: 16), Array(0..<60)), atMilliseconds: 2_500)
    tape.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 4_000)
    tape.add([button.disconnection], atMilliseconds: 5_000)
    tape.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 6_000)
    tape.add([bell.disconnection], atMilliseconds: 7_000)
    return tape
}

@Suite struct `A replay` {
    @Test(arguments: Datalink.allCases)
    func `A replay delivers every event at its instant, in every capture format`(datalink: Datalink) throws {
        let venue = try Venue()
        venue.say("ADVANCE 100ms")
        try venue.replay(evening(datalink).bytes)
        venue.say("ADVANCE 1249ms")
        #expect(try venue.state("hall") == "first")
        venue.say("ADVANCE 1ms")
        #expect(try venue.state("hall") == "second")
        venue.say("ADVANCE 10s")
        // The bell's connection and disconnection send `pass` too. A disconnected button sends nothing.
        #expect(
            try venue.history("hall") == [
                "1350 pass bluetooth", "2100 pass bluetooth", "4100 pass bluetooth", "7100 pass bluetooth",
            ])
        #expect(try venue.history("main") == ["2600 startPlaying bluetooth"])
    }

    @Test(arguments: Datalink.allCases)
    func `A finished replay logs its counts of records, events and unknown devices`(datalink: Datalink) throws {
        let venue = try Venue()
        try venue.replay(evening(datalink).bytes)
        venue.say("ADVANCE 1m")
        let path = venue.folder.appending(path: "replayed.btsnoop").path
        #expect(
            venue.log == [
                "the capture has values of connections that had ended, or that began before it: their devices are unknown, and they become no events",
                "the replay of \(path) is over: records 13; events accepted 5, refused 0, for missing sessions 0; repeated advertisements 0; devices not in the device file 0",
            ])
    }

    @Test func `A device connected in a replay is listed as connected until it disconnects there`() throws {
        let venue = try Venue()
        try venue.replay(evening(.h4).bytes)
        venue.say("BLUETOOTH DISCONNECT button")
        #expect(try venue.device("button")["connected"] == .boolean(true))
        #expect(
            venue.say("BLUETOOTH NOTIFY button")
                == "NOTCONNECTED 'button' is only connected in the replayed capture, so it cannot send a notification; BLUETOOTH CONNECT button connects it"
        )
        venue.say("ADVANCE 5s")
        #expect(try venue.device("button")["connected"] == .boolean(false))
    }

    @Test func `A replay and Bluetooth commands do not affect each other's connections`() throws {
        let venue = try Venue()
        try venue.replay(evening(.h4).bytes)
        venue.say("BLUETOOTH CONNECT bell")  // with the handle that the capture uses for the bell as well
        venue.say("BLUETOOTH DISCONNECT dial")
        venue.say("ADVANCE 3s")
        #expect(venue.say("BLUETOOTH NOTIFY button") == "1")
        venue.say("BLUETOOTH DISCONNECT bell")
        venue.say("ADVANCE 1m")
        #expect(
            try venue.bluetoothHistory("hall") == [
                "0 pass", "1250 pass", "2000 pass", "3000 pass", "3000 pass", "4000 pass", "7000 pass",
            ])
    }

    @Test func `Replayed events and timers fire in the order of their instants`() throws {
        let venue = try Venue()
        var tape = Tape(.h4)
        let button = try link("C0:FF:EE:12:34:56", 0x40)
        tape.add([button.connection], atMilliseconds: 0)
        tape.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 29_999)
        tape.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 60_000)
        try venue.replay(tape.bytes)
        venue.say("ADVANCE 2m")
        #expect(
            try venue.history("hall") == [
                "29999 pass bluetooth", "59999 pass timer", "60000 pass bluetooth", "90000 pass timer", "120000 pass timer",
            ])
    }

    @Test func `A timer of length zero fires between two replayed events of one instant`() throws {
        let venue = try Venue(
            """
            {"devices":[{"name":"b","address":"C0:FF:EE:00:00:01","events":[
                {"on":"notification","attribute":1,"session":"door","event":"press"}]}]}
            """)
        venue.say("NEW door latch")
        var tape = Tape(.h4)
        let button = try link("C0:FF:EE:00:00:01", 0x40)
        tape.add([button.connection], atMilliseconds: 0)
        for _ in 0..<2 { tape.add(try button.notification(.init(rawValue: 1), [1]), atMilliseconds: 10) }
        try venue.replay(tape.bytes)
        venue.say("ADVANCE 10ms")
        #expect(try venue.state("door") == "checked")
    }

    @Test func `A replay drops a beacon's repeated advertisements, timed by the daemon's clock`() throws {
        let venue = try Venue()
        let address = try BluetoothAddress(parsing: "C0:FF:EE:00:00:04")
        var tape = Tape(.monitor)
        for index in 0..<100 {
            let here = ADStructure.serviceData16(.init(rawValue: 0xFEAA), [1])
            let packets = [
                try HCIPacket.advertisement(from: address, .scannable, [here], rssi: Int8(-40 - index % 10)),
                try HCIPacket.advertisement(from: address, .scanResponse, [.name("beacon", isComplete: true)], rssi: -40),
            ]
            tape.add(packets, atMilliseconds: index < 50 ? Int64(index) * 100 : 10_000 + Int64(index) * 100, adapter: 3)
        }
        try venue.replay(tape.bytes)
        venue.say("ADVANCE 1m")
        #expect(try venue.bluetoothHistory("hall") == ["0 pass", "15000 pass"])
        #expect(try venue.device("beacon")["repeats"] == .integer(98))
    }

    @Test func `A replay compares a scan response with the last scan response, not with the advertisement`()
        throws
    {
        let venue = try Venue(
            """
            {"devices":[{"name":"tag","address":"C0:FF:EE:00:00:04","events":[
                {"on":"advertisement","session":"hall","event":"pass"}]}]}
            """)
        let address = try BluetoothAddress(parsing: "C0:FF:EE:00:00:04")
        var tape = Tape(.h4)
        for index in 0..<10 {
            tape.add(
                [
                    try .advertisement(from: address, .scannable, [.flags(6)], rssi: nil),
                    try .advertisement(from: address, .scanResponse, [.name("tag", isComplete: true)], rssi: nil),
                ], atMilliseconds: Int64(index) * 100)
        }
        try venue.replay(tape.bytes)
        venue.say("ADVANCE 5s")
        #expect(try venue.bluetoothHistory("hall") == ["0 pass", "0 pass"])
    }

    @Test func `A replay ignores packets that the recording host sent to a device`() throws {
        let venue = try Venue()
        var tape = Tape(.h4)
        let button = try link("C0:FF:EE:12:34:56", 0x40)
        let sent = try button.notification(.init(rawValue: 42), [1, 2]).map { HCIPacket($0.kind, .sent, $0.payload) }
        tape.add([button.connection] + sent, atMilliseconds: 0)
        try venue.replay(tape.bytes)
        venue.say("ADVANCE 1s")
        #expect(try venue.bluetoothHistory("hall") == [])
        #expect(try venue.device("button")["unbound"] == .integer(0))
    }

    @Test func `A replay logs each device missing from the device file once, and at most 20 of them`() throws {
        let venue = try Venue()
        var tape = Tape(.h4)
        for index in 0..<300 {
            let packet = try HCIPacket.advertisement(
                from: .init(rawValue: UInt64(index % 100)), .connectable, [.flags(6)], rssi: nil)
            tape.add([packet], atMilliseconds: Int64(index))
        }
        try venue.replay(tape.bytes)
        venue.say("ADVANCE 1s")
        #expect(
            venue.log.first
                == "00:00:00:00:00:00 is in the capture but not in the device file; its packets become no events")
        #expect(venue.log.count == 22)
        #expect(venue.log[20] == "more devices are not in the device file; they are not listed")
        #expect(venue.log.last?.hasSuffix("devices not in the device file 100") == true)
    }

    @Test func `A replay tolerates a capture whose timestamps go back`() throws {
        let venue = try Venue()
        var tape = Tape(.h4)
        let button = try link("C0:FF:EE:12:34:56", 0x40)
        for milliseconds in [0, 500, 498, 600, -900_000, -899_000] as [Int64] {
            let packets = milliseconds == 0 ? [button.connection] : try button.notification(.init(rawValue: 42), [1, 2])
            tape.add(packets, atMilliseconds: milliseconds)
        }
        try venue.replay(tape.bytes)
        venue.say("ADVANCE 10s")
        #expect(try venue.bluetoothHistory("hall") == ["500 pass", "500 pass", "600 pass", "600 pass", "1600 pass"])
    }

    @Test func `A replay logs a long gap in the capture and waits for it to pass`() throws {
        let venue = try Venue()
        var tape = Tape(.h4)
        let button = try link("C0:FF:EE:12:34:56", 0x40)
        tape.add([button.connection], atMilliseconds: 0)
        tape.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 86_400_000)
        try venue.replay(tape.bytes)
        #expect(venue.log.last?.hasSuffix("for the next 86400 seconds") == true)
        venue.say("ADVANCE 86399999ms")
        #expect(try venue.bluetoothHistory("hall") == [])
        venue.say("ADVANCE 1ms")
        #expect(try venue.bluetoothHistory("hall") == ["86400000 pass"])
    }

    @Test func `A replay handles at most 10,000 records per turn`() throws {
        let venue = try Venue()
        var tape = Tape(.h4)
        let button = try link("C0:FF:EE:12:34:56", 0x40)
        tape.add([button.connection], atMilliseconds: 0)
        let press = try button.notification(.init(rawValue: 42), [9])
        for _ in 0..<25_000 { tape.add(press, atMilliseconds: 0) }
        tape.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 0)
        try venue.replay(tape.bytes)
        #expect(try venue.device("button")["unbound"] == .integer(9_999))
        venue.say("ADVANCE 1ms")
        #expect(try venue.device("button")["unbound"] == .integer(19_999))
        venue.say("ADVANCE 1ms")
        #expect(try venue.device("button")["unbound"] == .integer(25_000))
        #expect(try venue.bluetoothHistory("hall") == ["2 pass"])
    }

    @Test func `A replay ends when its Bluetooth source stops`() throws {
        let venue = try Venue()
        try venue.replay(evening(.h4).bytes)
        venue.source.stop()
        venue.say("ADVANCE 1m")
        #expect(try venue.bluetoothHistory("hall") == [])
    }
}

@Suite struct `A broken capture` {
    @Test(arguments: Datalink.allCases)
    func `A truncated capture is replayed up to its last whole record and reported as truncated`(datalink: Datalink) throws {
        let tape = try evening(datalink)
        let bytes = tape.bytes
        var borders: Set<Int> = [16]
        for record in tape.records { borders.insert((borders.max() ?? 0) + record.count) }
        let venue = try Venue()
        for length in 0..<bytes.count {
            try venue.replay(Array(bytes.prefix(length)))
            venue.say("ADVANCE 1m")
            let log = venue.takeLog()
            let reached = borders.filter { $0 <= length }
            #expect(log.last?.contains("is over: records \(max(0, reached.count - 1));") == true, "cut to \(length): \(log)")
            let fault = log.first { $0.contains("cannot be read further") }
            #expect((fault == nil) == borders.contains(length), "cut to \(length): \(log)")
            let offset = length < 16 ? "after \(length) bytes" : "at offset \(reached.max() ?? 0):"
            #expect(fault?.contains(offset) != false, "cut to \(length): \(log)")
            #expect(venue.say("BLUETOOTH NOTIFY button") == "1")
        }
    }

    @Test func `A capture with random changed bytes does not disturb the daemon`() throws {
        var random = SeededGenerator.announced("broken captures", seed: 5)
        let bytes = try evening(.h4).bytes
        let venue = try Venue()
        for _ in 0..<300 {
            var broken = bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                broken[Int.random(in: 0..<broken.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try venue.replay(broken)
            venue.say("ADVANCE 1m")
            #expect(venue.say("BLUETOOTH NOTIFY button") == "1")
        }
    }

    @Test func `A file that is not a capture at all is reported with its first byte`() throws {
        let venue = try Venue()
        try venue.replay(Array("{}".utf8))
        #expect(
            venue.log.first?.contains("cannot be read further: this is not a btsnoop capture: the byte at offset 0 is 0x7B")
                == true)
        #expect(venue.say("BLUETOOTH NOTIFY button") == "1")
    }
}
