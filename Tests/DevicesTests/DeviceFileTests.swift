// Device files, valid and invalid.

import BuiltInFlows
import Foundation
import GameFlow
import TestSupport
import Testing
@testable import Devices

@Suite struct `A device file` {
    private static func device(_ more: String) -> String {
        #"{"devices":[{"name":"bell","address":"C0:FF:EE:00:00:01",\#(more)}]}"#
    }

    private static func event(_ fields: String) -> String {
        device(#""values":{"pressed":"01"},"events":[{"session":"main","event":"pass",\#(fields)}]"#)
    }

    private func error(_ text: String) throws -> String {
        let host = try DeviceHost(nil)
        let path = try host.file("devices.json", text)
        let error = #expect(throws: BluetoothFileError.self) { try host.source.load(path) }
        return error?.description.replacing(path, with: "FILE") ?? ""
    }

    static let mistakes = [
        ("{\n  \"devices\": [\n    nothing]}", "FILE, line 3, column 5: this is no JSON value"),
        ("{\"note\": \"é\", x}", "FILE, line 1, column 15: a member's name in quotes is missing"),
        ("[]", "FILE: this should be an object"),
        ("{}", "FILE: 'devices' is missing; write it like \"devices\": […]"),
        (#"{"devices":{}}"#, "FILE: devices: this should be a list"),
        (#"{"devices":[],"divices":1}"#, "FILE: there is no 'divices' here; available: silence, devices, and note"),
        (#"{"devices":[],"silence":"soon"}"#, "FILE: silence: 'soon' is no duration; it is like \"10s\" or \"1m30s\""),
        (
            #"{"devices":[{"name":"bell"}]}"#,
            "FILE: device 'bell': 'address' is missing; write it like \"address\": \"C0:FF:EE:00:00:01\""
        ),
        (
            #"{"devices":[{"name":"bell","address":"C0:FF"}]}"#,
            "FILE: device 'bell': address: 'C0:FF' is not a Bluetooth address; an address is six pairs of hexadecimal digits, such as AA:BB:CC:DD:EE:FF"
        ),
        (device(#""connected":"yes""#), "FILE: device 'bell': connected: 'yes' should be true or false"),
        (device(#""kind":"a","kind":"b""#), "FILE: device 'bell': 'kind' is given 2 times"),
        (
            device(#""values":{"pressed":"1"}"#),
            "FILE: device 'bell': values: '1' is no value; it is pairs of hexadecimal digits, like \"01 FF\", 512 at most"
        ),
        (device(#""values":{"a":"01","a":"02"}"#), "FILE: device 'bell': values: 'a' is given twice"),
        (
            event(#""on":"click""#),
            "FILE: device 'bell', event 1: on: '\"click\"' is not something a device does; available: notification, indication, advertisement, connect, disconnect"
        ),
        (
            event(#""on":"notification""#),
            "FILE: device 'bell', event 1: 'attribute' is missing; write it like \"attribute\": \"0x002A\""
        ),
        (
            event(#""on":"notification","attribute":0"#),
            "FILE: device 'bell', event 1: attribute: '0' is not an attribute handle; a handle is a number from 1 to 65535, such as 42 or 0x002A"
        ),
        (
            event(#""on":"notification","attribute":1,"value":"hold""#),
            "FILE: device 'bell', event 1: value: 'hold' is no value; it is like \"01 FF\", \"01*\" for what begins so, \"01 ?? 03\" with any byte between, or one of the device's values: pressed"
        ),
        (
            event(#""on":"notification","attribute":1,"value":"\#(String(repeating: "00", count: 513))""#),
            "FILE: device 'bell', event 1: value: the pattern has 513 bytes, and a value at most 512"
        ),
        (
            event(#""on":"notification","attribute":1,"payloadFrom":"int""#),
            "FILE: device 'bell', event 1: payloadFrom: 'int' is not a format; available: uint8, int8, uint16le, uint16be, int16le, int16be, uint32le, uint32be, int32le, int32be, float32le, boolean, utf8, hex"
        ),
        (
            event(#""on":"notification","attribute":1,"payloadFrom":"hex","payload":1"#),
            "FILE: device 'bell', event 1: 'payload' and 'payloadFrom' cannot be combined; an event has one payload"
        ),
        (
            event(#""on":"notification","attribute":1,"skip":1"#),
            "FILE: device 'bell', event 1: 'skip' and 'field' belong to 'payloadFrom', which is missing"
        ),
        (
            event(#""on":"connect","attribute":1"#),
            "FILE: device 'bell', event 1: there is no 'attribute' here; available: on, session, event, payload, and note"
        ),
        (
            event(#""on":"advertisement","value":"01""#),
            "FILE: device 'bell', event 1: there is no 'value' here; available: on, session, event, service, company, payload, and note"
        ),
        (
            event(#""on":"advertisement","service":"180""#),
            "FILE: device 'bell', event 1: service: '180' is not a 16-bit UUID; an assigned UUID is four hexadecimal digits, such as 180F"
        ),
        (
            event(#""on":"advertisement","company":70000"#),
            "FILE: device 'bell', event 1: company: '70000' is not a company's number; write it like \"0x004C\""
        ),
        (
            event(#""on":"advertisement","company":1,"service":"FEAA""#),
            "FILE: device 'bell', event 1: 'service' and 'company' cannot be combined"
        ),
        (
            device(#""advertises":{"data":"01"}"#),
            "FILE: device 'bell', advertises: 'data' needs a 'service' or a 'company'"
        ),
        (
            device(#""advertises":{"company":1,"data":"\#(String(repeating: "00", count: 30))"}"#),
            "FILE: device 'bell': advertises: an advertisement of 37 bytes cannot be sent; there is room for 31, including its name"
        ),
        (
            #"{"devices":[{"name":"a","address":"C0:FF:EE:00:00:01"},{"name":"b","address":"c0:ff:ee:00:00:01"}]}"#,
            "FILE: device 'b': it has the same address as 'a', C0:FF:EE:00:00:01"
        ),
        (
            #"{"devices":[{"name":"a","address":"C0:FF:EE:00:00:01"},{"name":"a","address":"C0:FF:EE:00:00:02"}]}"#,
            "FILE: device 'a': there are two of this name"
        ),
    ]

    @Test(arguments: mistakes) func `A device file that is invalid is reported with the device and the field`(
        text: String, sentence: String
    )
        throws
    {
        #expect(try error(text) == sentence)
    }

    @Test func `A device file with several errors reports all of them at once`() throws {
        let text = #"""
            {"devices":[
                {"name":"bell","address":"here","events":[{"on":"notification","attribute":"0x1G","session":"main"}]},
                {"adress":"C0:FF:EE:00:00:01"}
            ]}
            """#
        #expect(
            try error(text).split(separator: "\n").map(String.init) == [
                "FILE: 6 problems:",
                "  device 'bell': address: 'here' is not a Bluetooth address; an address is six pairs of hexadecimal digits, such as AA:BB:CC:DD:EE:FF",
                "  device 'bell', event 1: 'event' is missing; write it like \"event\": \"pass\"",
                "  device 'bell', event 1: attribute: '0x1G' is not an attribute handle; a handle is a number from 1 to 65535, such as 42 or 0x002A",
                "  device 2: 'name' is missing; write it like \"name\": \"bell\"",
                "  device 2: 'address' is missing; write it like \"address\": \"C0:FF:EE:00:00:01\"",
                "  device 2: there is no 'adress' here; available: name, address, kind, connected, silence, values, events, advertises, and note",
            ])
    }

    @Test func `A device file that is missing, not a regular file or not UTF-8 is reported as such`() throws {
        let host = try DeviceHost(nil)
        let folder = host.folder.path
        var error = #expect(throws: BluetoothFileError.self) { try host.source.load(folder + "/none.json") }
        #expect(error?.description == "cannot read \(folder)/none.json: No such file or directory")
        error = #expect(throws: BluetoothFileError.self) { try host.source.load(folder) }
        #expect(error?.description == "cannot read \(folder): it is not a regular file")
        let binary = try host.file("binary", [0x7B, 0xFF, 0xFE])
        error = #expect(throws: BluetoothFileError.self) { try host.source.load(binary) }
        #expect(error?.description == "\(binary) is not UTF-8 text")
    }

    @Test func `The example device file is valid, and its events exist in their flows`() throws {
        let devices = try DeviceFile.read(packageRoot.appending(path: "Examples/devices.json").path)
        #expect(devices.map(\.name) == ["turn-button", "red-button", "keypad", "scale", "welcome-beacon"])
        for binding in devices.flatMap(\.bindings) {
            let events = binding.session == "main" ? Game.events.names : Turns.events.names
            #expect(events.contains(binding.event))
        }
    }
}

@Suite struct `A value` {
    @Test(
        arguments: [
            ("01", [1], true), ("01", [1, 2], false), ("01", [], false), ("01*", [1], true), ("01*", [1, 2], true),
            ("01*", [2], false),
            ("01 ?? 03", [1, 9, 3], true), ("01??03", [1, 9, 4], false), ("*", [], true), ("*", [7, 7], true),
            ("??", [], false),
            ("ab CD", [0xAB, 0xCD], true),
        ] as [(String, [UInt8], Bool)])
    func `A value matches a pattern of exact bytes, any bytes or a prefix`(pattern: String, value: [UInt8], matches: Bool)
        throws
    {
        let parsed = try #require(ValuePattern(parsing: pattern))
        #expect(parsed.matches(value) == matches)
        #expect(ValuePattern(parsing: parsed.text) == parsed)
    }

    @Test(arguments: ["0", "0g", "01**", "-1", "+1", "0x1", "?", "é1"])
    func `Text that is not pairs of hexadecimal digits is neither a pattern nor a value`(
        text: String
    ) {
        #expect(ValuePattern(parsing: text) == nil)
        #expect([UInt8](hexadecimal: text) == nil)
    }

    @Test(
        arguments: [
            (.uint8, [200], 200), (.int8, [200], -56), (.uint16le, [1, 2], 0x0201), (.uint16be, [1, 2], 0x0102),
            (.int16le, [0xFF, 0xFF], -1), (.int16be, [0xFF, 0xFE], -2), (.uint32le, [1, 0, 0, 0x80], 0x8000_0001),
            (.uint32be, [1, 0, 0, 2], 0x0100_0002), (.int32le, [0, 0, 0, 0x80], -0x8000_0000),
            (.int32be, [0xFF, 0xFF, 0xFF, 0xFD], -3),
            (.float32le, [0, 0, 0xC0, 0x3F], .number(1.5)), (.boolean, [0], false), (.boolean, [2], true),
            (.utf8, [0xC3, 0xA9], "é"), (.utf8, [], ""), (.hex, [0xAB, 1], "AB01"), (.uint8, [7, 9], 7),
        ] as [(ValueFormat, [UInt8], JSON)])
    func `A value is decoded according to its format`(format: ValueFormat, value: [UInt8], json: JSON) throws {
        #expect(format.read(value[...]) == json)
        #expect(
            try PayloadRule.read(format, skip: 2, field: "it").payload(from: [9, 9] + value) == .object([.init("it", json)]))
    }

    @Test(
        arguments: [
            (.uint8, []), (.uint16le, [1]), (.uint32be, [1, 2, 3]), (.float32le, [0, 0, 0x80, 0x7F]), (.utf8, [0xFF]),
            (.boolean, []),
        ] as [(ValueFormat, [UInt8])])
    func `A value too short or invalid for its format is not decoded`(format: ValueFormat, value: [UInt8]) {
        #expect(format.read(value[...]) == nil)
    }
    @Test func `A value shorter than the bytes to skip is refused`() throws {
        let error = #expect(throws: RefusalFacts.self) {
            try PayloadRule.read(.uint8, skip: 600, field: nil).payload(from: [1])
        }
        #expect(error == .unreadableValue("01", format: "uint8", skipping: 600))
    }
}
