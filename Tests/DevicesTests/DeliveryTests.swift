// Actions of devices, and the events they send to sessions.

import Foundation
import RESP
import Testing
@testable import Commands
@testable import Devices

@Suite struct `A simulated device` {
    @Test func `A simulated button sends its event, and the history shows Bluetooth as the source`() throws {
        let host = try DeviceHost()
        host.say("ADVANCE 5s")
        #expect(host.say("BLUETOOTH NOTIFY button") == "1")
        #expect(try host.state("hall") == "second")
        #expect(try host.history("hall") == ["5000 pass bluetooth"])
    }

    @Test func `A device's event in the middle of an ADVANCE comes after its session's due timers`() throws {
        let host = try DeviceHost()
        host.enterMiddleOfInstant(after: .seconds(30))
        #expect(host.say("BLUETOOTH NOTIFY button") == "1")
        #expect(try host.history("hall") == ["30000 pass timer", "30000 pass bluetooth"])
        #expect(try host.state("hall") == "first")
    }

    @Test func `The actor of a device's event is the device`() throws {
        let host = try DeviceHost()
        host.say("BLUETOOTH NOTIFY button")
        let session = try #require(host.host.sessions.find("hall"))
        #expect(session.history(1).map { session.actor(of: $0) } == ["button"])
    }

    @Test(arguments: [
        "button", "button pressed", "button 0x002A", "button 42 pressed", "button 0x002a 0102", "button 42 0x0102",
    ])
    func `BLUETOOTH NOTIFY accepts a device with or without an attribute and a value`(words: String) throws {
        let host = try DeviceHost()
        #expect(host.say("BLUETOOTH NOTIFY \(words)") == "1")
        #expect(try host.state("hall") == "second")
    }

    @Test func `A simulated device's notification without a binding is counted and ignored`() throws {
        let host = try DeviceHost()
        #expect(host.say("BLUETOOTH NOTIFY button 0x002A 01") == "0")
        #expect(host.say("BLUETOOTH NOTIFY button 0x002B 0102") == "0")
        #expect(try host.history("hall") == [])
        #expect(try host.device("button")["unbound"] == .integer(2))
    }

    @Test func `A disconnected device cannot notify, and its press is not delivered after it connects`() throws {
        let host = try DeviceHost()
        #expect(host.say("BLUETOOTH DISCONNECT button") == "OK")
        #expect(
            host.say("BLUETOOTH NOTIFY button")
                == "NOTCONNECTED 'button' is not connected, so it cannot send a notification; BLUETOOTH CONNECT button connects it"
        )
        #expect(try host.state("hall") == "first")
        #expect(try host.history("hall") == [])
        host.say("BLUETOOTH CONNECT button")
        #expect(try host.history("hall") == [], "a press while disconnected is not delivered later")
        #expect(host.say("BLUETOOTH NOTIFY button") == "1")
        #expect(try host.state("hall") == "second")
    }

    @Test func `A device's event is refused while sessions are unavailable`() throws {
        let host = try DeviceHost()
        let bell = try #require(host.source.devices.first { $0.spec.name == "bell" })
        var log: [String] = []
        let delivery = EventDelivery(to: host.host) { log.append($0) }
        host.host.unavailability = CommandError(.journal, "the disk is full")
        for _ in 1...100 { #expect(delivery.deliver(.connected, of: bell).refused == 1) }
        #expect(log == ["'bell' could not send an event to 'hall': the disk is full; more lost events are not logged"])
        #expect(try host.state("hall") == "first")
        host.host.unavailability = nil
        #expect(delivery.deliver(.connected, of: bell).accepted == 1)
        #expect(try host.state("hall") == "second")
        #expect(try host.history("hall") == ["0 pass bluetooth"])
    }

    @Test func `A device's refused event changes nothing and appears in the history`() throws {
        let host = try DeviceHost()
        #expect(host.say("BLUETOOTH NOTIFY dial 0x0021 0103") == "0")
        #expect(try host.history("main") == ["0 chooseEpisode bluetooth refused"])
        #expect(try host.state("main") == "introduction")
        #expect(try host.device("dial")["refused"] == .integer(1))
    }

    @Test func `A device's value becomes its event's payload, and an invalid value is refused`() throws {
        let host = try DeviceHost()
        host.say("SEND main startPlaying")
        #expect(host.say("BLUETOOTH NOTIFY dial 0x0021 0103") == "1")
        #expect(host.say("BLUETOOTH NOTIFY dial 0x0021 02") == "0", "the level is missing")
        #expect(host.say("BLUETOOTH NOTIFY dial 0x0021 0209") == "0", "there is no level 9")
        #expect(host.say("BLUETOOTH NOTIFY dial 0x0021 0205") == "1")
        #expect(
            try host.history("main").suffix(3) == [
                "0 chooseLevel bluetooth refused", "0 chooseLevel bluetooth refused", "0 chooseLevel bluetooth",
            ])
    }

    @Test func `A binding to an indication is triggered by an indication and not by a notification`() throws {
        let host = try DeviceHost()
        host.say("BLUETOOTH CONNECT bell")
        #expect(host.say("BLUETOOTH NOTIFY bell") == "1")
        #expect(try host.state("main") == "choosingEpisode")

        let other = try DeviceHost()
        var capture = CaptureBuilder(.h4)
        let bell = try simulatedLink("C0:FF:EE:00:00:02", 1)
        capture.add([bell.connection] + (try bell.notification(.init(rawValue: 16), [1])), atMilliseconds: 0)
        try other.replay(capture.bytes)
        #expect(try other.state("main") == "introduction")
    }

    @Test func `A device's connection and disconnection can each trigger an event`() throws {
        let host = try DeviceHost()
        host.say("BLUETOOTH CONNECT bell")
        #expect(host.say("BLUETOOTH CONNECT bell") == "OK")
        host.say("ADVANCE 1s")
        host.say("BLUETOOTH DISCONNECT bell")
        #expect(host.say("BLUETOOTH DISCONNECT bell") == "OK")
        #expect(try host.history("hall") == ["0 pass bluetooth", "1000 pass bluetooth"])
    }

    @Test func `A device whose session is missing is logged once and delivers once the session exists`() throws {
        let host = try DeviceHost()
        host.say("DROP hall")
        #expect(host.say("BLUETOOTH NOTIFY button") == "0")
        #expect(host.say("BLUETOOTH NOTIFY button") == "0")
        #expect(host.log == ["'button' sends 'pass' to the session 'hall', which does not exist; NEW hall FLOW creates one"])
        #expect(try host.device("button")["no_session"] == .integer(2))
        host.say("NEW hall turns")
        #expect(host.say("BLUETOOTH NOTIFY button") == "1")
    }

    @Test func `A device whose session is missing for a second time is logged again`() throws {
        let host = try DeviceHost()
        for _ in 0..<2 {
            host.say("DROP hall")
            for _ in 0..<2 { #expect(host.say("BLUETOOTH NOTIFY button") == "0") }
            host.say("NEW hall turns")
            #expect(host.say("BLUETOOTH NOTIFY button") == "1")
        }
        let line = "'button' sends 'pass' to the session 'hall', which does not exist; NEW hall FLOW creates one"
        #expect(host.log == [line, line])
    }

    @Test func `The log of a missing session has the rule for names if no session can have its name`() throws {
        let host = try DeviceHost(
            """
            {"devices":[{"name":"b","address":"C0:FF:EE:00:00:01","connected":true,"events":[
                {"on":"notification","attribute":1,"session":"..","event":"pass"}
            ]}]}
            """)
        #expect(host.say("BLUETOOTH NOTIFY b") == "0")
        let rule = "a session is not called '..', which no address of the page could name"
        #expect(host.log == ["'b' sends 'pass' to the session '..', which does not exist; \(rule)"])
    }

    @Test func `One press of a device sends events to several sessions`() throws {
        let host = try DeviceHost(
            """
            {"devices":[{"name":"b","address":"C0:FF:EE:00:00:01","connected":true,"events":[
                {"on":"notification","attribute":1,"session":"hall","event":"pass"},
                {"on":"notification","attribute":1,"session":"main","event":"startPlaying"},
                {"on":"notification","attribute":1,"session":"main","event":"startPlaying"}
            ]}]}
            """)
        #expect(host.say("BLUETOOTH NOTIFY b") == "2")
        #expect(try host.state("hall") == "second")
        #expect(try host.history("main") == ["0 startPlaying bluetooth", "0 startPlaying bluetooth refused"])
    }

    @Test func `A binding with a fixed payload sends it with its event`() throws {
        let host = try DeviceHost(
            """
            {"devices":[{"name":"b","address":"C0:FF:EE:00:00:01","connected":true,"events":[
                {"on":"notification","attribute":1,"session":"main","event":"chooseEpisode","payload":{"episode":4}}
            ]}]}
            """)
        host.say("SEND main startPlaying")
        #expect(host.say("BLUETOOTH NOTIFY b") == "1")
        #expect(try host.state("main") == "choosingLevel")
    }

    @Test func `BLUETOOTH LIST shows each device's kind, actions and counters`() throws {
        let host = try DeviceHost()
        host.say("BLUETOOTH NOTIFY button")
        let button = try host.device("button")
        #expect(button["address"]?.text == "C0:FF:EE:12:34:56")
        #expect(button["kind"]?.text == "button")
        #expect(button["connected"] == .boolean(true))
        #expect(button["says"] == .array([.bulk(text: "0x002A pressed")]))
        #expect(button["accepted"] == .integer(1))
        #expect(try host.device("dial")["says"] == .array([.bulk(text: "0x0021 01*"), .bulk(text: "0x0021 02*")]))
        #expect(try host.device("bell")["connected"] == .boolean(false))
    }

    @Test(arguments: [
        ("NOTIFY drum", "NODEVICE there is no device 'drum'; available: button, bell, dial, beacon"),
        (
            "NOTIFY button 0x002A later",
            "ERR 'later' is not a value of 'button'; a value is pairs of hexadecimal digits, like 01FF, or pressed"
        ),
        (
            "NOTIFY button 0 01",
            "ERR '0' is not an attribute handle; a handle is a number from 1 to 65535, such as 42 or 0x002A"
        ),
        (
            "NOTIFY button 0x002A " + String(repeating: "00", count: 513),
            "ERR a value of 513 bytes cannot be sent; an attribute holds at most 512"
        ),
        (
            "NOTIFY dial",
            "ERR 'dial' needs a handle and a value: BLUETOOTH NOTIFY dial 0x0021 01; its events wait for 0x0021 01*, 0x0021 02*"
        ),
        (
            "NOTIFY button 0x0099",
            "ERR 'button' needs a handle and a value: BLUETOOTH NOTIFY button 0x002A 01; its events wait for 0x002A pressed"
        ),
        (
            "ADVERTISE button 01",
            "ERR 'button' advertises nothing that could hold data; give it a 'service' or a 'company' in the device file"
        ),
        (
            "ADVERTISE beacon " + String(repeating: "00", count: 28),
            "ERR an advertisement of 35 bytes cannot be sent; there is room for 31, including its name"
        ),
    ])
    func `BLUETOOTH with an invalid device or value replies with an error and does nothing`(words: String, reply: String)
        throws
    {
        let host = try DeviceHost()
        #expect(host.say("BLUETOOTH \(words)") == reply)
        #expect(try host.history("hall") == [])
    }

    @Test(arguments: ["", " LIST all", " CONNECT", " NOTIFY", " NOTIFY a b c d", " SING button", " ADVERTISE beacon 01 02"])
    func `BLUETOOTH with invalid syntax is refused with its usage`(words: String) throws {
        #expect(try DeviceHost().say("BLUETOOTH\(words)").contains("usage: BLUETOOTH LIST|CONNECT device|"))
    }

    @Test func `BLUETOOTH CONNECT without a device file is refused, and the error names --bluetooth`() throws {
        let host = try DeviceHost(nil)
        #expect(
            host.say("BLUETOOTH CONNECT bell")
                == "NODEVICE there is no device 'bell'; simulated devices need --bluetooth FILE")
    }
}

@Suite struct `Values and work of a simulated device` {
    @Test(arguments: ["long press", "0x002A long press", "0x002A 02"])
    func `BLUETOOTH NOTIFY accepts a value by a name with a blank`(notification: String) throws {
        let host = try DeviceHost(
            """
            { "devices": [{ "name": "button", "address": "C0:FF:EE:00:00:01", "connected": true,
                "values": { "press": "01", "long press": "02" }, "events": [
                    { "on": "notification", "attribute": "0x002A", "value": "long press", "session": "hall", "event": "pass" }] }] }
            """)
        let client = LocalClient(of: host.host)
        #expect(client.run(["BLUETOOTH", "NOTIFY", "button", notification]).last == .integer(1))
    }
}

@Suite struct `A reloaded device file` {
    private static let edited = exampleDevices.replacing(#""pressed": "01 02""#, with: #""pressed": "07""#)

    @Test func `A reload of the device file keeps connections and counters and applies new values`() throws {
        let host = try DeviceHost()
        host.say("BLUETOOTH DISCONNECT button")
        host.say("BLUETOOTH CONNECT bell")
        host.say("BLUETOOTH ADVERTISE beacon")
        try host.source.load(host.file("devices.json", Self.edited))
        #expect(try host.device("button")["connected"] == .boolean(false))
        #expect(try host.device("bell")["connected"] == .boolean(true))
        #expect(try host.device("bell")["accepted"] == .integer(1))
        #expect(host.say("BLUETOOTH ADVERTISE beacon") == "0", "the beacon has just been observed")
        host.say("BLUETOOTH CONNECT button")
        #expect(host.say("BLUETOOTH NOTIFY button 0x002A 0102") == "0")
        #expect(host.say("BLUETOOTH NOTIFY button 0x002A 07") == "1")
        #expect(host.say("BLUETOOTH NOTIFY bell") == "1")
    }

    @Test func `A reload of an invalid device file changes nothing`() throws {
        let host = try DeviceHost()
        let file = try host.file("devices.json", "{")
        #expect(throws: BluetoothFileError.self) { try host.source.load(file) }
        #expect(host.say("BLUETOOTH NOTIFY button") == "1")
    }

    @Test func `A reload of the device file disconnects removed devices and connects new ones`() throws {
        let host = try DeviceHost()
        let recorded = host.folder.appending(path: "recorded.btsnoop").path
        try host.source.record(recorded)
        let file = try host.file(
            "devices.json",
            """
            {"devices":[
                {"name":"knob","address":"C0:FF:EE:12:34:56","connected":true,"events":[
                    {"on":"connect","session":"hall","event":"pass"},
                    {"on":"notification","attribute":1,"session":"hall","event":"pass"}]},
                {"name":"dial","address":"C0:FF:EE:00:00:99","connected":true}
            ]}
            """)
        try host.source.load(file)
        #expect(try host.history("hall") == ["0 pass bluetooth"])
        #expect(host.say("BLUETOOTH NOTIFY button").hasPrefix("NODEVICE"))
        #expect(host.say("BLUETOOTH NOTIFY knob") == "1")
        #expect(try host.device("dial")["connected"] == .boolean(true))
        host.source.stop()
        #expect(
            try observations(recorded).map(\.brief).prefix(6) == [
                "C0:FF:EE:12:34:56 connected", "C0:FF:EE:00:00:03 connected",
                "C0:FF:EE:12:34:56 gone", "C0:FF:EE:00:00:03 gone", "C0:FF:EE:12:34:56 connected",
                "C0:FF:EE:00:00:99 connected",
            ])
    }
}
