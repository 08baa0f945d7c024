// A device's current state: its connection, its last advertisement, its counts.

import Bluetooth
import Timers

package final class BluetoothDevice {
    let spec: DeviceSpec
    /// Nil while it is not connected here; a replayed capture has its own connections.
    var link: SimulatedLink?
    var tally = Tally()
    private var lastAdvertisement: SeenAdvertisement?
    private var lastScanResponse: SeenAdvertisement?

    /// What an advertisement matched, and when it was last heard.
    private struct SeenAdvertisement {
        let saying: [Match]
        var at: Instant
    }

    init(_ spec: DeviceSpec) {
        self.spec = spec
    }

    /// The same device with a new specification.
    init(_ spec: DeviceSpec, goingOnFrom earlier: BluetoothDevice) {
        self.spec = spec
        link = earlier.link
        tally = earlier.tally
        lastAdvertisement = earlier.lastAdvertisement
        lastScanResponse = earlier.lastScanResponse
    }

    /// A binding that matches an action, and the action's value.
    struct Match: Equatable {
        let binding: Binding
        let value: [UInt8]
        /// The whole advertisement, if it is bound to being heard at all.
        var structures: [ADStructure] = []
    }

    func matches(_ deed: PacketStream.Action) -> [Match] {
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

    /// Whether it repeats the last advertisement, heard less than the file's `silence` ago. Scan responses are compared separately,
    /// since they alternate with advertisements.
    func isRepeat(_ saying: [Match], isScanResponse: Bool, at now: Instant) -> Bool {
        let last = isScanResponse ? lastScanResponse : lastAdvertisement
        let heard = SeenAdvertisement(saying: saying, at: now)
        if isScanResponse { lastScanResponse = heard } else { lastAdvertisement = heard }
        guard let last, last.saying == saying else { return false }
        return last.at.duration(to: now) < spec.silence
    }
}
