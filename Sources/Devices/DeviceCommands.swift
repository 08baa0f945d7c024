// BLUETOOTH's actions on devices by name.

import Commands
import RESP

extension BluetoothSource: SimulatedDevices {
    package var reports: [DeviceReport] { devices.map { DeviceReport($0, isConnected: isConnected($0)) } }

    package func connect(_ name: String) throws(CommandError) { connect(try device(named: name)) }

    package func disconnect(_ name: String) throws(CommandError) { disconnect(try device(named: name)) }

    package func notify(_ name: String, _ words: [String]) throws(CommandError) -> Int {
        let device = try device(named: name)
        return try notify(try device.spec.notification(words), by: device).accepted
    }

    package func advertise(_ name: String, _ value: String?) throws(CommandError) -> Int {
        let device = try device(named: name)
        var data: [UInt8]?
        if let value { data = try device.spec.value(value) }
        return try advertise(data, by: device).accepted
    }

    private func device(named name: String) throws(CommandError) -> BluetoothDevice {
        if let device = devices.first(where: { $0.spec.name == name }) { return device }
        throw .noDevice(name, devices.map(\.spec.name))
    }
}

extension DeviceReport {
    fileprivate init(_ device: BluetoothDevice, isConnected: Bool) {
        let (spec, tally) = (device.spec, device.tally)
        self.init(
            identity: [("name", spec.name), ("address", spec.address.description), ("kind", spec.kind)],
            isConnected: isConnected, sayings: spec.triggers,
            counts: [
                ("accepted", tally.accepted), ("refused", tally.refused), ("no_session", tally.noSession),
                ("repeats", tally.repeats), ("unbound", tally.unbound),
            ])
    }
}
