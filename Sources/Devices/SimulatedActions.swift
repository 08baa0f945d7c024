// The actions of simulated devices: connect, disconnect, notify, advertise.

import Bluetooth
import RESP

extension BluetoothSource {
    /// A Low Energy adapter's first handle is often this one.
    private static let firstHandle: UInt16 = 0x0040

    /// Connects and negotiates the MTU, as devices do. No effect on a connected device.
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

    /// Sends a new value of an attribute.
    func notify(_ new: SimulatedNotification, by device: BluetoothDevice) throws(CommandError) -> Tally {
        guard let link = device.link else { throw notConnected(device) }
        return send(
            try sendable { () throws(BluetoothError) in
                new.isIndication
                    ? try link.indication(new.attribute, new.value) : try link.notification(new.attribute, new.value)
            })
    }

    /// Broadcasts an advertisement, connected or not; without data, the file's own.
    func advertise(_ data: [UInt8]?, by device: BluetoothDevice) throws(CommandError) -> Tally {
        if let data, !data.isEmpty, device.spec.advertised.part == .anything {
            throw CommandError(
                .generic,
                "'\(device.spec.name)' advertises nothing that could hold data; give it a 'service' or a 'company' in the device file"
            )
        }
        return send(
            try sendable { () throws(BluetoothError) in [try device.spec.advertisement(data ?? device.spec.advertised.data)] })
    }

    private func sendable(_ packets: () throws(BluetoothError) -> [HCIPacket]) throws(CommandError) -> [HCIPacket] {
        do throws(BluetoothError) { return try packets() } catch { throw CommandError(.generic, error.description) }
    }

    private func notConnected(_ device: BluetoothDevice) -> CommandError {
        let name = device.spec.name
        let why = isConnectedInCapture(device) ? "is only connected in the replayed capture" : "is not connected"
        return CommandError(
            .notConnected, "'\(name)' \(why), so it cannot notify anybody; BLUETOOTH CONNECT \(name) connects it")
    }

    /// A connection with an unused handle; there are more handles than a file may have devices.
    private func freeLink(for device: BluetoothDevice) -> SimulatedLink? {
        let taken = Set(devices.compactMap { $0.link?.handle.rawValue })
        guard let number = (Self.firstHandle...ConnectionHandle.highest).first(where: { !taken.contains($0) }) else {
            return nil
        }
        return try? SimulatedLink(address: device.spec.address, handle: ConnectionHandle(rawValue: number))
    }
}
