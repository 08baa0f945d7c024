// Simulated Bluetooth devices, as commands see them.

import RESP
import Texts

/// Carries out BLUETOOTH.
package protocol SimulatedDevices: AnyObject {
    var reports: [DeviceReport] { get }

    func connect(_ name: String) throws(CommandError)
    func disconnect(_ name: String) throws(CommandError)

    /// A device notifies a new value of an attribute. Returns how many events sessions accepted.
    func notify(_ name: String, _ words: [String]) throws(CommandError) -> Int

    /// A device advertises its file's data, or the value. Returns how many events sessions accepted.
    func advertise(_ name: String, _ value: String?) throws(CommandError) -> Int
}

/// A device as LIST shows it.
package struct DeviceReport {
    /// Name, address and kind.
    package let identity: [(name: String, value: String)]
    package let isConnected: Bool
    /// Notifications that a client can trigger.
    package let notifications: [String]
    package let counts: [(name: String, count: Int)]

    package init(
        identity: [(name: String, value: String)], isConnected: Bool, notifications: [String],
        counts: [(name: String, count: Int)]
    ) {
        self.identity = identity
        self.isConnected = isConnected
        self.notifications = notifications
        self.counts = counts
    }
}

/// For a host without simulated devices.
final class NoDevices: SimulatedDevices {
    let reports: [DeviceReport] = []

    func connect(_ name: String) throws(CommandError) { throw .noDevice(name, []) }
    func disconnect(_ name: String) throws(CommandError) { throw .noDevice(name, []) }
    func notify(_ name: String, _ words: [String]) throws(CommandError) -> Int { throw .noDevice(name, []) }
    func advertise(_ name: String, _ value: String?) throws(CommandError) -> Int { throw .noDevice(name, []) }
}

extension CommandError {
    /// `names` are the devices that exist.
    package static func noDevice(_ name: String, _ names: [String]) -> CommandError {
        let known = names.prefix(20).joined(separator: ", ")
        let advice = known.isEmpty ? "simulated devices need --bluetooth FILE" : "available: \(known)"
        return CommandError(.noDevice, "there is no device '\(name.shortened)'; \(advice)")
    }
}
