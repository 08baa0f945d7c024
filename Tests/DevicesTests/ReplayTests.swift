// Replays of captures.

import Bluetooth
import Foundation
import GameFlow
import Seeds
import Testing
import Timers
@testable import Commands
@testable import Devices

/// A button connects at 0 s, is pressed at 1.25 s and 4 s, and disconnects at 5 s. A bell connects at 2 s and rings at 2.5 s.
private func buttonAndBell(_ datalink: Datalink) throws -> CaptureBuilder {
    var capture = CaptureBuilder(datalink)
    let button = try simulatedLink("C0:FF:EE:12:34:56", 0x40)
    let bell = try simulatedLink("C0:FF:EE:00:00:02", 0x41)
    capture.add([button.connection] + button.mtuExchange, atMilliseconds: 0)
    capture.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 1_250)
    capture.add([bell.connection], atMilliseconds: 2_000)
    capture.add(try bell.indication(.init(rawValue: 16), Array(0..<60)), atMilliseconds: 2_500)
    capture.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 4_000)
    capture.add([button.disconnection], atMilliseconds: 5_000)
    capture.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 6_000)
    capture.add([bell.disconnection], atMilliseconds: 7_000)
    return capture
}

/// A latch that locks itself by a timer of length zero, so that a second press always finds it locked.
struct Latch: TypedFlow {
    enum State: FlowState {
        case open
        case closing(Countdown)
        case locked
        /// A press before it was locked.
        case jammed
        case checked
    }

    enum Event: Sendable { case press, lock }

    static let name = "latch"
    static let states = ["open", "closing", "locked", "jammed", "checked"]
    static let events = Catalogue<Event>(.plain(.press), .timer(.lock))
    static let lock = TimerPlan.countdown("lock", .zero, message: Event.lock)
    static let timers = [lock]

    let clock: FlowClock

    func initialState() throws -> State { .open }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.open, .press): { .closing(try Countdown(Self.lock, on: clock)) }
        case (.closing, .lock): { .locked }
        case (.closing, .press): { .jammed }
        case (.locked, .press): { .checked }
        default: throw .transitionNotFound
        }
    }
}

@Suite struct `A replay` {
    @Test(arguments: Datalink.allCases)
    func `A replay delivers every event at its instant, in every capture format`(datalink: Datalink) throws {
        let host = try DeviceHost()
        host.say("ADVANCE 100ms")
        try host.replay(buttonAndBell(datalink).bytes)
        host.say("ADVANCE 1249ms")
        #expect(try host.state("hall") == "first")
        host.say("ADVANCE 1ms")
        #expect(try host.state("hall") == "second")
        host.say("ADVANCE 10s")
        // The bell's connection and disconnection send `pass` too. A disconnected button sends nothing.
        #expect(
            try host.history("hall") == [
                "1350 pass bluetooth", "2100 pass bluetooth", "4100 pass bluetooth", "7100 pass bluetooth",
            ])
        #expect(try host.history("main") == ["2600 startPlaying bluetooth"])
    }

    @Test(arguments: Datalink.allCases)
    func `A finished replay logs its counts of records, events and unknown devices`(datalink: Datalink) throws {
        let host = try DeviceHost()
        try host.replay(buttonAndBell(datalink).bytes)
        host.say("ADVANCE 1m")
        let path = host.folder.appending(path: "replayed.btsnoop").path
        #expect(
            host.log == [
                "the capture has values of connections that had ended, or that began before it: their devices are unknown, and they become no events",
                "the replay of \(path) is over: records 13; events accepted 5, refused 0, for missing sessions 0; repeated advertisements 0; devices not in the device file 0",
            ])
    }

    @Test func `A device connected in a replay is listed as connected until it disconnects there`() throws {
        let host = try DeviceHost()
        try host.replay(buttonAndBell(.h4).bytes)
        host.say("BLUETOOTH DISCONNECT button")
        #expect(try host.device("button")["connected"] == .boolean(true))
        #expect(
            host.say("BLUETOOTH NOTIFY button")
                == "NOTCONNECTED 'button' is only connected in the replayed capture, so it cannot send a notification; BLUETOOTH CONNECT button connects it"
        )
        host.say("ADVANCE 5s")
        #expect(try host.device("button")["connected"] == .boolean(false))
    }

    @Test func `A device that a reload adds during a replay has its connection in the capture`() throws {
        let host = try DeviceHost(#"{"devices":[]}"#)
        try host.replay(buttonAndBell(.h4).bytes)
        try host.source.load(host.file("devices.json", exampleDevices))
        host.say("BLUETOOTH DISCONNECT button")
        #expect(try host.device("button")["connected"] == .boolean(true))
        host.say("ADVANCE 5s")
        #expect(try host.device("button")["connected"] == .boolean(false))
    }

    @Test func `A replay and Bluetooth commands do not affect each other's connections`() throws {
        let host = try DeviceHost()
        try host.replay(buttonAndBell(.h4).bytes)
        host.say("BLUETOOTH CONNECT bell")  // with the handle that the capture uses for the bell as well
        host.say("BLUETOOTH DISCONNECT dial")
        host.say("ADVANCE 3s")
        #expect(host.say("BLUETOOTH NOTIFY button") == "1")
        host.say("BLUETOOTH DISCONNECT bell")
        host.say("ADVANCE 1m")
        #expect(
            try host.bluetoothHistory("hall") == [
                "0 pass", "1250 pass", "2000 pass", "3000 pass", "3000 pass", "4000 pass", "7000 pass",
            ])
    }

    @Test func `Replayed events and timers fire in the order of their instants`() throws {
        let host = try DeviceHost()
        var capture = CaptureBuilder(.h4)
        let button = try simulatedLink("C0:FF:EE:12:34:56", 0x40)
        capture.add([button.connection], atMilliseconds: 0)
        capture.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 29_999)
        capture.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 60_000)
        try host.replay(capture.bytes)
        host.say("ADVANCE 2m")
        #expect(
            try host.history("hall") == [
                "29999 pass bluetooth", "59999 pass timer", "60000 pass bluetooth", "90000 pass timer", "120000 pass timer",
            ])
    }

    @Test func `A timer of length zero fires between two replayed events of one instant`() throws {
        let host = try DeviceHost(
            """
            {"devices":[{"name":"b","address":"C0:FF:EE:00:00:01","events":[
                {"on":"notification","attribute":1,"session":"door","event":"press"}]}]}
            """)
        host.say("NEW door latch")
        var capture = CaptureBuilder(.h4)
        let button = try simulatedLink("C0:FF:EE:00:00:01", 0x40)
        capture.add([button.connection], atMilliseconds: 0)
        for _ in 0..<2 { capture.add(try button.notification(.init(rawValue: 1), [1]), atMilliseconds: 10) }
        try host.replay(capture.bytes)
        host.say("ADVANCE 10ms")
        #expect(try host.state("door") == "checked")
    }

    @Test func `A replay drops a beacon's repeated advertisements, timed by the daemon's clock`() throws {
        let host = try DeviceHost()
        let address = try BluetoothAddress(parsing: "C0:FF:EE:00:00:04")
        var capture = CaptureBuilder(.monitor)
        for index in 0..<100 {
            let here = ADStructure.serviceData(.short(0xFEAA), [1])
            let heard = try HCIPacket.advertisement(from: address, .scannable, [here])
            // The last byte is the signal's strength.
            let packets = [
                HCIPacket(.event, .received, heard.payload.dropLast() + [UInt8(bitPattern: Int8(-40 - index % 10))]),
                try HCIPacket.advertisement(from: address, .scanResponse, [.name("beacon", isComplete: true)]),
            ]
            capture.add(packets, atMilliseconds: index < 50 ? Int64(index) * 100 : 10_000 + Int64(index) * 100, adapter: 3)
        }
        try host.replay(capture.bytes)
        host.say("ADVANCE 1m")
        #expect(try host.bluetoothHistory("hall") == ["0 pass", "15000 pass"])
        #expect(try host.device("beacon")["repeats"] == .integer(98))
    }

    @Test func `A replay compares a scan response with the last scan response, not with the advertisement`()
        throws
    {
        let host = try DeviceHost(
            """
            {"devices":[{"name":"tag","address":"C0:FF:EE:00:00:04","events":[
                {"on":"advertisement","session":"hall","event":"pass"}]}]}
            """)
        let address = try BluetoothAddress(parsing: "C0:FF:EE:00:00:04")
        var capture = CaptureBuilder(.h4)
        for index in 0..<10 {
            capture.add(
                [
                    try .advertisement(from: address, .scannable, [.flags(6)]),
                    try .advertisement(from: address, .scanResponse, [.name("tag", isComplete: true)]),
                ], atMilliseconds: Int64(index) * 100)
        }
        try host.replay(capture.bytes)
        host.say("ADVANCE 5s")
        #expect(try host.bluetoothHistory("hall") == ["0 pass", "0 pass"])
    }

    @Test func `A replay ignores packets that the recording host sent to a device`() throws {
        let host = try DeviceHost()
        var capture = CaptureBuilder(.h4)
        let button = try simulatedLink("C0:FF:EE:12:34:56", 0x40)
        let sent = try button.notification(.init(rawValue: 42), [1, 2]).map { HCIPacket($0.kind, .sent, $0.payload) }
        capture.add([button.connection] + sent, atMilliseconds: 0)
        try host.replay(capture.bytes)
        host.say("ADVANCE 1s")
        #expect(try host.bluetoothHistory("hall") == [])
        #expect(try host.device("button")["unbound"] == .integer(0))
    }

    @Test func `A replay logs each device missing from the device file once, and at most 20 of them`() throws {
        let host = try DeviceHost()
        var capture = CaptureBuilder(.h4)
        for index in 0..<300 {
            let packet = try HCIPacket.advertisement(
                from: .init(rawValue: UInt64(index % 100)), .connectable, [.flags(6)])
            capture.add([packet], atMilliseconds: Int64(index))
        }
        try host.replay(capture.bytes)
        host.say("ADVANCE 1s")
        #expect(
            host.log.first
                == "00:00:00:00:00:00 is in the capture but not in the device file; its packets become no events")
        #expect(host.log.count == 22)
        #expect(host.log[20] == "more devices are not in the device file; they are not listed")
        #expect(host.log.last?.hasSuffix("devices not in the device file 100") == true)
    }

    @Test func `A replay tolerates a capture whose timestamps go back`() throws {
        let host = try DeviceHost()
        var capture = CaptureBuilder(.h4)
        let button = try simulatedLink("C0:FF:EE:12:34:56", 0x40)
        for milliseconds in [0, 500, 498, 600, -900_000, -899_000] as [Int64] {
            let packets = milliseconds == 0 ? [button.connection] : try button.notification(.init(rawValue: 42), [1, 2])
            capture.add(packets, atMilliseconds: milliseconds)
        }
        try host.replay(capture.bytes)
        host.say("ADVANCE 10s")
        #expect(try host.bluetoothHistory("hall") == ["500 pass", "500 pass", "600 pass", "600 pass", "1600 pass"])
    }

    @Test func `A replay logs a long gap in the capture and waits for it to pass`() throws {
        let host = try DeviceHost()
        var capture = CaptureBuilder(.h4)
        let button = try simulatedLink("C0:FF:EE:12:34:56", 0x40)
        capture.add([button.connection], atMilliseconds: 0)
        capture.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 86_400_000)
        try host.replay(capture.bytes)
        #expect(host.log.last?.hasSuffix("for the next 86400 seconds") == true)
        host.say("ADVANCE 86399999ms")
        #expect(try host.bluetoothHistory("hall") == [])
        host.say("ADVANCE 1ms")
        #expect(try host.bluetoothHistory("hall") == ["86400000 pass"])
    }

    @Test func `A replay handles at most 10,000 records per turn`() throws {
        let host = try DeviceHost()
        var capture = CaptureBuilder(.h4)
        let button = try simulatedLink("C0:FF:EE:12:34:56", 0x40)
        capture.add([button.connection], atMilliseconds: 0)
        let press = try button.notification(.init(rawValue: 42), [9])
        for _ in 0..<25_000 { capture.add(press, atMilliseconds: 0) }
        capture.add(try button.notification(.init(rawValue: 42), [1, 2]), atMilliseconds: 0)
        try host.replay(capture.bytes)
        #expect(try host.device("button")["unbound"] == .integer(9_999))
        host.say("ADVANCE 1ms")
        #expect(try host.device("button")["unbound"] == .integer(19_999))
        host.say("ADVANCE 1ms")
        #expect(try host.device("button")["unbound"] == .integer(25_000))
        #expect(try host.bluetoothHistory("hall") == ["2 pass"])
    }

    @Test func `A replay ends when its Bluetooth source stops`() throws {
        let host = try DeviceHost()
        try host.replay(buttonAndBell(.h4).bytes)
        host.source.stop()
        host.say("ADVANCE 1m")
        #expect(try host.bluetoothHistory("hall") == [])
    }
}

@Suite struct `A broken capture` {
    @Test(arguments: Datalink.allCases)
    func `A truncated capture is replayed up to its last whole record and reported as truncated`(datalink: Datalink) throws {
        let capture = try buttonAndBell(datalink)
        let bytes = capture.bytes
        var borders: Set<Int> = [16]
        for record in capture.records { borders.insert((borders.max() ?? 0) + record.count) }
        let host = try DeviceHost()
        for length in 0..<bytes.count {
            try host.replay(Array(bytes.prefix(length)))
            host.say("ADVANCE 1m")
            let log = host.takeLog()
            let reached = borders.filter { $0 <= length }
            #expect(log.last?.contains("is over: records \(max(0, reached.count - 1));") == true, "cut to \(length): \(log)")
            let fault = log.first { $0.contains("cannot be read further") }
            #expect((fault == nil) == borders.contains(length), "cut to \(length): \(log)")
            let offset = length < 16 ? "after \(length) bytes" : "at offset \(reached.max() ?? 0):"
            #expect(fault?.contains(offset) != false, "cut to \(length): \(log)")
            #expect(host.say("BLUETOOTH NOTIFY button") == "1")
        }
    }

    @Test func `A capture with random changed bytes does not disturb the daemon`() throws {
        var random = SeededGenerator.announced("broken captures", seed: 5)
        let bytes = try buttonAndBell(.h4).bytes
        let host = try DeviceHost()
        for _ in 0..<300 {
            var broken = bytes
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                broken[Int.random(in: 0..<broken.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            try host.replay(broken)
            host.say("ADVANCE 1m")
            #expect(host.say("BLUETOOTH NOTIFY button") == "1")
        }
    }

    @Test func `A file that is not a capture at all is reported with its first byte`() throws {
        let host = try DeviceHost()
        try host.replay(Array("{}".utf8))
        #expect(
            host.log.first?.contains("cannot be read further: this is not a btsnoop capture: the byte at offset 0 is 0x7B")
                == true)
        #expect(host.say("BLUETOOTH NOTIFY button") == "1")
    }
}
