// Captures that a test builds, and the packets of simulated devices.

import Bluetooth

/// Builds a capture packet by packet.
struct CaptureBuilder {
    let datalink: Datalink
    private(set) var records: [[UInt8]] = []

    init(_ datalink: Datalink) {
        self.datalink = datalink
    }

    var bytes: [UInt8] { datalink.header + records.joined() }

    mutating func add(_ packets: [HCIPacket], atMilliseconds milliseconds: Int64, adapter: UInt16 = 0) {
        let time = CaptureTime(microsecondsSince1970: 1_700_000_000_000_000 + milliseconds * 1_000)
        records += packets.map { CaptureRecord($0, at: time, adapter: adapter, on: datalink).serialized }
    }
}

/// Returns a link that encodes the packets of a device of `exampleDevices`.
func simulatedLink(_ address: String, _ handle: UInt16, fragmentSize: Int = 27) throws -> SimulatedLink {
    SimulatedLink(
        address: try BluetoothAddress(parsing: address), handle: ConnectionHandle(rawValue: handle), fragmentSize: fragmentSize)
}
