// A device as it is now: connected or not, what it was last heard to say, and what has come of it.

import Bluetooth
import Timers

package final class BluetoothDevice {
    let spec: DeviceSpec
    /// Nil while it is not connected here; a capture that is replayed has connections of its own.
    var link: SimulatedLink?
    var tally = Tally()
    private var lastAdvertisement: Heard?
    private var lastScanResponse: Heard?

    /// What an advertisement said to the bindings that it matched, and when it was last heard.
    private struct Heard {
        let saying: [Match]
        var at: Instant
    }

    init(_ spec: DeviceSpec) {
        self.spec = spec
    }

    /// The same device with what the file says of it now.
    init(_ spec: DeviceSpec, goingOnFrom earlier: BluetoothDevice) {
        self.spec = spec
        link = earlier.link
        tally = earlier.tally
        lastAdvertisement = earlier.lastAdvertisement
        lastScanResponse = earlier.lastScanResponse
    }

    /// A binding that waits for what the device did, and the value with which it did it.
    struct Match: Equatable {
        let binding: Binding
        let value: [UInt8]
        /// Of an advertisement that was bound for being heard at all, everything that it said.
        var structures: [ADStructure] = []
    }

    func matches(_ deed: PacketStream.Deed) -> [Match] {
        spec.bindings.compactMap { binding in
            switch (binding.trigger, deed) {
            case (.connected, .connected), (.disconnected, .disconnected):
                return Match(binding: binding, value: [])
            case (.value(let mine, let onlyIndications), .told(let attribute, let value, let isIndication)):
                guard mine == attribute, isIndication || !onlyIndications, binding.pattern.matches(value) else { return nil }
                return Match(binding: binding, value: value)
            case (.advertised(let part), .advertised(let structures, _)):
                guard let value = part.value(in: structures), binding.pattern.matches(value) else { return nil }
                return Match(binding: binding, value: value, structures: part == .anything ? structures : [])
            default:
                return nil
            }
        }
    }

    /// Whether the device's last advertisement said the same, and has not been silent since for as long as the file says. What
    /// it answers when it is asked for more is compared by itself: the two always take turns.
    func isRepeat(_ saying: [Match], isScanResponse: Bool, at now: Instant) -> Bool {
        let last = isScanResponse ? lastScanResponse : lastAdvertisement
        let heard = Heard(saying: saying, at: now)
        if isScanResponse { lastScanResponse = heard } else { lastAdvertisement = heard }
        guard let last, last.saying == saying else { return false }
        return last.at.duration(to: now) < spec.silence
    }
}
