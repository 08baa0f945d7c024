// A beacon says the same thing many times a second. This lets it through once in a while.

struct RepeatFilter: Sendable {
    /// How many different advertisements are remembered; of more, one that was heard early is forgotten.
    static let mostAdvertisements = 1_024

    private struct Saying: Hashable {
        let address: BluetoothAddress
        let data: [UInt8]
    }

    private let window: Duration
    /// When each was last let through.
    private var heard = BoundedTable<Saying, CaptureTime>(capacity: mostAdvertisements)

    /// With a window of zero everything is let through.
    init(window: Duration) {
        self.window = window
    }

    /// Whether the same address said the same less than a window ago. Repeats do not prolong the window, so that a beacon that
    /// stays is heard again and again. Captures can step back in time: then it is the distance that counts.
    mutating func isRepeat(_ report: AdvertisingReport, at time: CaptureTime) -> Bool {
        guard window > .zero else { return false }
        let saying = Saying(address: report.address, data: Array(report.data))
        if let last = heard[saying], distance(last, time) < window { return true }
        heard[saying] = time
        return false
    }

    private func distance(_ one: CaptureTime, _ other: CaptureTime) -> Duration {
        min(one, other).duration(to: max(one, other))
    }

    /// How much is kept of advertisements, in bytes.
    var footprint: Int {
        heard.contents.reduce(0) { $0 + MemoryLayout<(Saying, CaptureTime)>.stride + $1.key.data.count }
    }
}
