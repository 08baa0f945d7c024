// What people have simulated devices do.

import Bluetooth
import RESP

extension BluetoothSource {
    /// Handles as adapters give them; a Low Energy adapter's first is often this one.
    private static let firstHandle: UInt16 = 0x0040

    /// It connects, and agrees on messages of any length, as devices do. One that is connected stays so.
    func connect(_ device: BluetoothDevice) {
        guard device.link == nil, let link = freeLink(for: device) else { return }
        device.link = link
        send([link.connection] + link.mtuExchange)
    }

    func disconnect(_ device: BluetoothDevice) {
        guard let link = device.link else { return }
        device.link = nil
        send([link.disconnection()])
    }

    /// It says that an attribute has a new value.
    func notify(_ new: SimulatedNotification, by device: BluetoothDevice) throws(CommandError) -> Tally {
        guard let link = device.link else { throw notConnected(device) }
        return send(
            try sendable { () throws(BluetoothError) in
                new.isIndication
                    ? try link.indication(new.attribute, new.value) : try link.notification(new.attribute, new.value)
            })
    }

    /// It says something to everybody, connected or not. With no data it says what the file has it say.
    func advertise(_ data: [UInt8]?, by device: BluetoothDevice) throws(CommandError) -> Tally {
        if let data, !data.isEmpty, device.spec.advertised.part == .anything {
            throw CommandError(
                "ERR",
                "'\(device.spec.name)' has no place for data in what it advertises; give it a 'service' or a 'company' in the device file"
            )
        }
        return send(
            try sendable { () throws(BluetoothError) in [try device.spec.advertisement(data ?? device.spec.advertised.data)] })
    }

    private func sendable(_ packets: () throws(BluetoothError) -> [HCIPacket]) throws(CommandError) -> [HCIPacket] {
        do throws(BluetoothError) { return try packets() } catch { throw CommandError("ERR", error.description) }
    }

    private func notConnected(_ device: BluetoothDevice) -> CommandError {
        let name = device.spec.name
        let why = isConnectedInCapture(device) ? "is connected only in the capture that is replayed" : "is not connected"
        return CommandError("NOTCONNECTED", "'\(name)' \(why), so nothing happens; BLUETOOTH CONNECT \(name) connects it")
    }

    /// A connection with a number that no other device has; there are more numbers than a file may have devices.
    private func freeLink(for device: BluetoothDevice) -> SimulatedLink? {
        let taken = Set(devices.compactMap { $0.link?.handle.rawValue })
        guard let number = (Self.firstHandle...ConnectionHandle.highest).first(where: { !taken.contains($0) }) else {
            return nil
        }
        return try? SimulatedLink(address: device.spec.address, handle: ConnectionHandle(rawValue: number))
    }
}
