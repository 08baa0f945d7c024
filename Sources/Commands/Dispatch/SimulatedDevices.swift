// Simulated Bluetooth devices, as commands see them.

import RESP
import Texts

/// Does what BLUETOOTH says.
package protocol SimulatedDevices: AnyObject {
    var reports: [DeviceReport] { get }

    func connect(_ name: String) throws(CommandError)
    func disconnect(_ name: String) throws(CommandError)

    /// A device says that an attribute has a new value. Returns how many events sessions have taken.
    func notify(_ name: String, _ words: [String]) throws(CommandError) -> Int

    /// A device advertises: what its file tells, or the value. Returns how many events sessions have taken.
    func advertise(_ name: String, _ value: String?) throws(CommandError) -> Int
}

/// What LIST tells of a device.
package struct DeviceReport {
    /// Name, address and kind.
    package let identity: [(name: String, value: String)]
    package let isConnected: Bool
    /// What it can be made to say.
    package let sayings: [String]
    package let counts: [(name: String, count: Int)]

    package init(
        identity: [(name: String, value: String)], isConnected: Bool, sayings: [String], counts: [(name: String, count: Int)]
    ) {
        self.identity = identity
        self.isConnected = isConnected
        self.sayings = sayings
        self.counts = counts
    }
}

/// Where there are none.
final class NoDevices: SimulatedDevices {
    let reports: [DeviceReport] = []

    func connect(_ name: String) throws(CommandError) { throw .noDevice(name, []) }
    func disconnect(_ name: String) throws(CommandError) { throw .noDevice(name, []) }
    func notify(_ name: String, _ words: [String]) throws(CommandError) -> Int { throw .noDevice(name, []) }
    func advertise(_ name: String, _ value: String?) throws(CommandError) -> Int { throw .noDevice(name, []) }
}

extension CommandError {
    /// `names` are those of the devices that there are.
    package static func noDevice(_ name: String, _ names: [String]) -> CommandError {
        let known = names.prefix(20).joined(separator: ", ")
        let others = known.isEmpty ? "none, since gamed was started without --bluetooth FILE" : known
        return CommandError(
            "NODEVICE", "there is no device '\(name.shortened)'; there \(known.isEmpty ? "is" : "are") \(others)")
    }
}
