// Captures written by hand, so that the reader is not tested with our own writer.

import Bluetooth

/// The header of a capture as Android writes it.
let h4Header: [UInt8] = [
    0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00,  // "btsnoop" and a zero byte
    0x00, 0x00, 0x00, 0x01,  // version 1
    0x00, 0x00, 0x03, 0xEA,  // datalink 1002
]

/// The header of a capture as btmon writes it.
let monitorHeader: [UInt8] = h4Header.dropLast(2) + [0x07, 0xD1]

/// A record, so many milliseconds into the year 2000.
func record(_ bytes: [UInt8], flags: UInt32 = 1, milliseconds: Int64 = 0) -> [UInt8] {
    let length = bigEndian(UInt32(bytes.count))
    let time = bigEndian(0x00E0_3AB4_4A67_6000 + 1_000 * milliseconds)
    return length + length + bigEndian(flags) + bigEndian(UInt32(0)) + time + bytes
}

func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
}

/// An event of Low Energy, such as `02` and its reports, as H4 has it.
func lowEnergyEvent(_ parameters: [UInt8]) -> [UInt8] {
    [0x04, 0x3E, UInt8(parameters.count)] + parameters
}

/// The button's address in packets, its lowest byte first.
let buttonAddress: [UInt8] = [0x56, 0x34, 0x12, 0xEE, 0xFF, 0xC0]

/// The device of the hand-made packets.
let button = BluetoothAddress(rawValue: 0xC0FF_EE12_3456)
let handle40 = ConnectionHandle(rawValue: 0x0040)
let attribute2A = AttributeHandle(rawValue: 0x002A)

/// The button connects over Low Energy, with the handle 0x0040.
let buttonConnects: [UInt8] = [
    0x04, 0x3E, 0x13,  // an event of Low Energy with 19 bytes
    0x01, 0x00,  // connection complete, success
    0x40, 0x00, 0x00,  // the handle, central
    0x01, 0x56, 0x34, 0x12, 0xEE, 0xFF, 0xC0,  // a random address
    0x18, 0x00, 0x00, 0x00, 0xF4, 0x01, 0x00,  // interval, latency, timeout, accuracy
]

/// The button notifies that attribute 0x002A has the value 01 02.
let buttonNotifies: [UInt8] = [
    0x02, 0x40, 0x20, 0x09, 0x00,  // data of handle 0x0040, a first piece of 9 bytes
    0x05, 0x00, 0x04, 0x00,  // a frame of 5 bytes on the attribute channel
    0x1B, 0x2A, 0x00, 0x01, 0x02,  // notification of 0x002A: 01 02
]

/// The button disconnects.
let buttonDisconnects: [UInt8] = [
    0x04, 0x05, 0x04,  // disconnection complete with 4 bytes
    0x00, 0x40, 0x00, 0x13,  // success, the handle, the device ended it
]

let buttonNotified = Observation.notification(address: button, value: [1, 2])
let strangerNotified = Observation.notification(address: nil, value: [1, 2])

extension Observation {
    static func notification(
        address: BluetoothAddress?, _ attribute: AttributeHandle = attribute2A, value: [UInt8], isIndication: Bool = false
    ) -> Self {
        Self(address: address, .notified(attribute, value, isIndication: isIndication))
    }
}
