// Devices that are in a capture and not in the device file: each is told of once, and not too many of them.

import Bluetooth

struct Strangers {
    private static let mostCounted = 4_096
    private static let mostTold = 20
    private var addresses: Set<BluetoothAddress> = []
    private var hasMetNameless = false

    var count: Int { addresses.count }

    /// What is to be said of a device that is not in the file; nil if that has been said.
    mutating func sentence(on address: BluetoothAddress?) -> String? {
        guard let address else { return nameless() }
        guard addresses.count < Self.mostCounted, addresses.insert(address).inserted else { return nil }
        switch addresses.count {
        case ...Self.mostTold:
            return "\(address) is in the capture and not in the device file; nothing that it says is an event"
        case Self.mostTold + 1: return "there are further devices that are not in the device file; they are not named here"
        default: return nil
        }
    }

    private mutating func nameless() -> String? {
        guard !hasMetNameless else { return nil }
        hasMetNameless = true
        return """
            the capture has values of a connection that has ended in it, or that began before it: whose they are is not known, \
            and they become no events
            """
    }
}
