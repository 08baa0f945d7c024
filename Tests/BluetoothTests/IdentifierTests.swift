// Addresses, attribute handles and service UUIDs as text.

import Bluetooth
import Testing

@Suite struct `Names` {
    @Test func `A Bluetooth address is parsed in either case and written in upper case`() throws {
        #expect(try BluetoothAddress(parsing: "c0:ff:EE:12:34:56") == button)
        #expect(button.description == "C0:FF:EE:12:34:56")
        #expect(try BluetoothAddress(parsing: "00:00:00:00:00:01").rawValue == 1)
        #expect(BluetoothAddress(rawValue: .max).description == "FF:FF:FF:FF:FF:FF")
    }

    @Test(arguments: [
        "", "button", "C0:FF:EE:12:34", "C0:FF:EE:12:34:56:78", "C0:FF:EE:12:34:5", "C0:FF:EE:12:34:567", "C0:FF:EE:12:34:5G",
        "C0:FF:EE:12:34:+5", "C0-FF-EE-12-34-56", "C0FFEE123456", ":C0:FF:EE:12:34:56", "C0:FF:EE:12:34:56:",
        "C0:FF:EE:12:34:٥٦",
        " C0:FF:EE:12:34:56",
    ])
    func `An invalid Bluetooth address is refused`(text: String) {
        #expect(throws: BluetoothError.notAnAddress(text)) { try BluetoothAddress(parsing: text) }
    }

    @Test func `An error describes the expected form in one short line`() {
        #expect(
            BluetoothError.notAnAddress("AA:BB").description
                == "'AA:BB' is not a Bluetooth address; an address is six pairs of hexadecimal digits, such as AA:BB:CC:DD:EE:FF"
        )
        let hostile = BluetoothError.notAnAddress("\r\n" + String(repeating: "x", count: 100_000)).description
        #expect(hostile.hasPrefix("'\\r\\nxxx") && hostile.contains("x…'") && hostile.utf8.count < 200)
        #expect(
            BluetoothError.advertisementTooLong(byteCount: 40, limit: 31).description
                == "an advertisement of 40 bytes cannot be sent; there is room for 31, including its name")
        #expect(
            BluetoothError.valueTooLong(byteCount: 600, limit: 512).description
                == "a value of 600 bytes cannot be sent; an attribute holds at most 512")
    }

    @Test func `An assigned service UUID is the same in its long form`() throws {
        let long = "0000180f-0000-1000-8000-00805F9B34FB"
        #expect(try ServiceUUID(parsing: long) == .short(0x180F))
        #expect(try ServiceUUID(parsing: "0001180F-0000-1000-8000-00805F9B34FB") != .short(0x180F))
        #expect(try ServiceUUID(parsing: "0000180F-0000-1000-8000-00805F9B34FC") != .short(0x180F))
    }

    @Test func `An attribute handle is parsed as a decimal or hexadecimal number`() throws {
        #expect(try AttributeHandle(parsing: "42") == attribute2A)
        #expect(try AttributeHandle(parsing: "0x2a") == attribute2A)
        #expect(try AttributeHandle(parsing: "65535").description == "0xFFFF")
        for text in ["", "0", "0x0", "-1", "+1", "65536", "0x10000", "0x", "0x-1", "2A", "4 2"] {
            #expect(throws: BluetoothError.notAnAttributeHandle(text)) { try AttributeHandle(parsing: text) }
        }
    }

    @Test func `A service UUID has 4 hexadecimal digits, or 32 in five groups`() throws {
        #expect(try ServiceUUID(parsing: "180f") == .short(0x180F))
        #expect(try ServiceUUID(parsing: "0x180F") == .short(0x180F))
        for text in ["", "180", "180F0", "18 F", "+80F", "6E400001", "6E400001B5A3F393E0A9E50E24DCCA9E"] {
            #expect(throws: BluetoothError.notAUUID16(text)) { try ServiceUUID(parsing: text) }
        }
        let uart = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
        #expect(try ServiceUUID(parsing: uart.lowercased()) == .long(0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E))
        for text in ["-", "6E40-0001", uart + "0", "-" + uart, uart.replacing("6", with: "G")] {
            #expect(throws: BluetoothError.notAUUID128(text)) { try ServiceUUID(parsing: text) }
        }
    }

    @Test func `A connection handle has 12 bits`() {
        #expect(ConnectionHandle(rawValue: 0xF040) == handle40)
    }
}
