// Devices of a capture that are not in the device file: each is logged once, up to a limit.

import Bluetooth

struct UnknownDevices {
    private static let maxCounted = 4_096
    private static let maxReported = 20
    private var addresses: Set<BluetoothAddress> = []
    private var hasMetNameless = false

    /// Of very many, how many there are at least.
    var count: String { addresses.count < Self.maxCounted ? "\(addresses.count)" : "\(Self.maxCounted) or more" }

    /// The log line about an unknown device; nil if it has been logged, or too many others have.
    mutating func sentence(on address: BluetoothAddress?) -> String? {
        guard let address else { return nameless() }
        guard addresses.count < Self.maxCounted, addresses.insert(address).inserted else { return nil }
        switch addresses.count {
        case ...Self.maxReported:
            return "\(address) is in the capture but not in the device file; its packets become no events"
        case Self.maxReported + 1: return "more devices are not in the device file; they are not listed"
        default: return nil
        }
    }

    private mutating func nameless() -> String? {
        guard !hasMetNameless else { return nil }
        hasMetNameless = true
        return """
            the capture has values of connections that had ended, or that began before it: their devices are unknown, and they \
            become no events
            """
    }
}
