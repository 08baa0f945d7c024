// Reassembles the long advertisements of Bluetooth 5, which come in several reports.

struct AdvertisingAssembler: Sendable {
    /// The most that an advertisement holds.
    static let maxDataLength = 1_650
    /// The most incomplete advertisements at once; beyond that, an old one is dropped.
    static let maxAdvertisements = 32

    private struct Stream: Hashable {
        let adapter: UInt16
        let address: BluetoothAddress
        let set: UInt8
        let isScanResponse: Bool
    }

    /// An incomplete advertisement.
    private enum Assembly {
        /// The data so far.
        case collecting([UInt8])
        /// It is longer than an advertisement can be; the rest is dropped.
        case skipping

        var byteCount: Int {
            switch self {
            case .collecting(let bytes): bytes.count
            case .skipping: 0
            }
        }
    }

    private var assemblies = BoundedTable<Stream, Assembly>(capacity: maxAdvertisements)

    /// The whole advertisement if this report completes it. Of one that the adapter truncated, the part there is.
    mutating func receive(_ report: AdvertisingReport, of adapter: UInt16) -> AdvertisingReport? {
        let stream = Stream(
            adapter: adapter, address: report.address, set: report.set, isScanResponse: report.kind == .scanResponse)
        let assembly = assemblies.remove(stream) ?? .collecting([])
        switch (assembly, report.completeness) {
        case (.collecting(let collected), .complete), (.collecting(let collected), .truncated):
            return whole(report, collected)
        case (.collecting(let collected), .moreToCome):
            let data = collected + report.data
            assemblies[stream] = data.count > Self.maxDataLength ? .skipping : .collecting(data)
            return nil
        case (.skipping, .moreToCome):
            assemblies[stream] = .skipping
            return nil
        case (.skipping, .complete), (.skipping, .truncated):
            return nil
        }
    }

    private func whole(_ report: AdvertisingReport, _ collected: [UInt8]) -> AdvertisingReport? {
        guard !collected.isEmpty else { return report }
        guard collected.count + report.data.count <= Self.maxDataLength else { return nil }
        var whole = report
        whole.data = collected + report.data
        return whole
    }

    /// The memory that incomplete advertisements take, in bytes.
    var footprint: Int {
        assemblies.contents.reduce(0) { $0 + MemoryLayout<(Stream, Assembly)>.stride + $1.value.byteCount }
    }
}
