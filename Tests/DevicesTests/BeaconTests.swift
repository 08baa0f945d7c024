// Advertisements of devices, which repeat.

import RESP
import Testing
@testable import Commands
@testable import Devices

@Suite struct `A beacon` {
    @Test func `An advertisement that no session got does not silence the next one`() throws {
        let host = try DeviceHost(
            """
            { "devices": [{ "name": "beacon", "address": "C0:FF:EE:00:00:04",
                "events": [{ "on": "advertisement", "service": "FEAA", "session": "later", "event": "pass" }] }] }
            """)
        #expect(host.say("BLUETOOTH ADVERTISE beacon") == "0")
        host.say("NEW later turns")
        #expect(host.say("BLUETOOTH ADVERTISE beacon") == "1")
        #expect(host.say("BLUETOOTH ADVERTISE beacon") == "0", "it repeats the last one")
        host.say("DROP later")
        host.say("NEW later turns")
        #expect(host.say("BLUETOOTH ADVERTISE beacon") == "0", "the earlier session got it a moment ago")
    }

    @Test(arguments: [#""service": "FEAA", "value": "01 ?? 03""#, #""company": "0X004C", "value": "?? 01*""#])
    func `The default advertisement of a beacon matches its binding`(fields: String) throws {
        let host = try DeviceHost(
            """
            { "devices": [{ "name": "beacon", "address": "C0:FF:EE:00:00:04",
                "events": [{ "on": "advertisement", \(fields), "session": "hall", "event": "pass" }] }] }
            """)
        #expect(host.say("BLUETOOTH ADVERTISE beacon") == "1")
    }

    @Test func `A binding to data that a simulated advertisement has no room for is valid`() throws {
        let data = String(repeating: "00", count: 31)
        let host = try DeviceHost(
            """
            { "devices": [{ "name": "beacon", "address": "C0:FF:EE:00:00:04",
                "events": [{ "on": "advertisement", "company": 76, "value": "\(data)", "session": "hall", "event": "pass" }] }] }
            """)
        #expect(host.say("BLUETOOTH ADVERTISE beacon").hasPrefix("ERR an advertisement of "))
    }

    @Test func `A beacon's repeated advertisements trigger its event once`() throws {
        let host = try DeviceHost()
        #expect(host.say("BLUETOOTH ADVERTISE beacon") == "1")
        for _ in 0..<100 {
            host.say("ADVANCE 300ms")
            #expect(host.say("BLUETOOTH ADVERTISE beacon") == "0")
        }
        #expect(try host.bluetoothHistory("hall") == ["0 pass"])
        #expect(try host.device("beacon")["repeats"] == .integer(100))
    }

    @Test func `A beacon triggers its event again after exactly its silence time`() throws {
        let host = try DeviceHost()
        host.say("BLUETOOTH ADVERTISE beacon")
        host.say("ADVANCE 9999ms")
        #expect(host.say("BLUETOOTH ADVERTISE beacon") == "0")
        host.say("ADVANCE 10s")
        #expect(host.say("BLUETOOTH ADVERTISE beacon") == "1")
        #expect(try host.bluetoothHistory("hall") == ["0 pass", "19999 pass"])
    }

    @Test func `A beacon triggers its event again whenever its data changes`() throws {
        let host = try DeviceHost()
        #expect(host.say("BLUETOOTH ADVERTISE beacon 01") == "1")
        #expect(host.say("BLUETOOTH ADVERTISE beacon 01") == "0")
        #expect(host.say("BLUETOOTH ADVERTISE beacon 02") == "1")
        #expect(host.say("BLUETOOTH ADVERTISE beacon 01") == "1")
    }

    @Test func `A beacon needs no connection, and its own silence overrides that of the device file`() throws {
        let host = try DeviceHost(
            """
            {"silence": "1h", "devices":[{"name":"tag","address":"C0:FF:EE:00:00:01","silence":"0s","events":[
                {"on":"advertisement","session":"hall","event":"pass"}
            ]}]}
            """)
        #expect(host.say("BLUETOOTH ADVERTISE tag") == "1")
        #expect(host.say("BLUETOOTH ADVERTISE tag") == "1")
    }

    @Test func `A beacon's manufacturer data selects its event and becomes the payload`() throws {
        let host = try DeviceHost(
            """
            {"devices":[{"name":"tag","address":"C0:FF:EE:00:00:01","events":[
                {"on":"advertisement","company":"0x004C","value":"02*","session":"main","event":"chooseEpisode","payloadFrom":"uint8","skip":1}
            ]}]}
            """)
        host.say("SEND main startPlaying")
        #expect(host.say("BLUETOOTH ADVERTISE tag 0303") == "0")
        #expect(host.say("BLUETOOTH ADVERTISE tag 0203") == "1")
        #expect(try host.state("main") == "choosingLevel")
    }
}
