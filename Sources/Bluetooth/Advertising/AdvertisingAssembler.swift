// A long advertisement of Bluetooth 5 comes in several reports. This puts it together.

struct AdvertisingAssembler: Sendable {
    /// The most that an advertisement holds.
    static let longestData = 1_650
    /// How many advertisements can be incomplete at once; of more, one that began early is given up.
    static let mostAdvertisements = 32

    private struct Stream: Hashable {
        let adapter: UInt16
        let address: BluetoothAddress
        let set: UInt8
        let isScanResponse: Bool
    }

    /// An advertisement whose end has not come. One that has not begun is in no state.
    private enum Assembly {
        /// What has come of it.
        case collecting([UInt8])
        /// It was longer than an advertisement can be; what is left of it is dropped.
        case skipping

        var byteCount: Int {
            switch self {
            case .collecting(let bytes): bytes.count
            case .skipping: 0
            }
        }
    }

    private var assemblies = BoundedTable<Stream, Assembly>(capacity: mostAdvertisements)

    /// The whole advertisement, if the report ends it; of one that the adapter has cut, what there is.
    mutating func take(_ report: AdvertisingReport, of adapter: UInt16) -> AdvertisingReport? {
        let stream = Stream(
            adapter: adapter, address: report.address, set: report.set, isScanResponse: report.kind == .scanResponse)
        let assembly = assemblies.remove(stream) ?? .collecting([])
        switch (assembly, report.completeness) {
        case (.collecting(let begun), .complete), (.collecting(let begun), .cut):
            return whole(report, begun)
        case (.collecting(let begun), .moreToCome):
            let data = begun + report.data
            assemblies[stream] = data.count > Self.longestData ? .skipping : .collecting(data)
            return nil
        case (.skipping, .moreToCome):
            assemblies[stream] = .skipping
            return nil
        case (.skipping, .complete), (.skipping, .cut):
            return nil
        }
    }

    private func whole(_ report: AdvertisingReport, _ begun: [UInt8]) -> AdvertisingReport? {
        guard !begun.isEmpty else { return report }
        guard begun.count + report.data.count <= Self.longestData else { return nil }
        var whole = report
        whole.data = begun + report.data
        return whole
    }

    /// How much is kept of incomplete advertisements, in bytes.
    var footprint: Int {
        assemblies.contents.reduce(0) { $0 + MemoryLayout<(Stream, Assembly)>.stride + $1.value.byteCount }
    }
}
