// Thins out beacons, which repeat the same advertisement many times a second.

struct RepeatFilter: Sendable {
    /// The most advertisements that are remembered; beyond that, an old one is forgotten.
    static let maxAdvertisements = 1_024

    private struct Advertisement: Hashable {
        let address: BluetoothAddress
        let data: [UInt8]
    }

    private let window: Duration
    /// When each was last let through.
    private var heard = BoundedTable<Advertisement, CaptureTime>(capacity: maxAdvertisements)

    /// A window of zero lets everything through.
    init(window: Duration) {
        self.window = window
    }

    /// Whether the same address advertised the same data less than a window ago. Repeats do not extend the window, so a beacon
    /// that stays is let through once per window. Captures can step back in time, so the distance counts.
    mutating func isRepeat(_ report: AdvertisingReport, at time: CaptureTime) -> Bool {
        guard window > .zero else { return false }
        let advertisement = Advertisement(address: report.address, data: Array(report.data))
        if let last = heard[advertisement], distance(last, time) < window { return true }
        heard[advertisement] = time
        return false
    }

    private func distance(_ one: CaptureTime, _ other: CaptureTime) -> Duration {
        min(one, other).duration(to: max(one, other))
    }

    /// The memory that advertisements take, in bytes.
    var footprint: Int {
        heard.contents.reduce(0) { $0 + MemoryLayout<(Advertisement, CaptureTime)>.stride + $1.key.data.count }
    }
}
