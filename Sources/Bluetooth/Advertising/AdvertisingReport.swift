// Advertisements as the adapter reports them, in the legacy format of Bluetooth 4 and the extended one of Bluetooth 5.

struct AdvertisingReport: Equatable {
    /// Whether later reports continue this advertisement.
    enum Completeness: UInt16 {
        /// This report completes it.
        case complete = 0
        /// Another report continues it.
        case moreToCome = 1
        /// The adapter has lost the rest.
        case truncated = 2
    }

    var address: BluetoothAddress
    var isScanResponse: Bool
    /// Distinguishes concurrent advertisements of one device; the legacy format has only one.
    var set: UInt8 = 0
    var completeness = Completeness.complete
    var data: ArraySlice<UInt8>

    // MARK: Reading

    /// The result of reading one report of several.
    enum Reading {
        case report(AdvertisingReport)
        /// Complete, but without an address or of an unknown kind.
        case unusable
        /// The bytes end within it.
        case truncated
    }

    /// The reports of an event, up to a truncated one. The first byte is their number.
    static func reports(
        _ parameters: ArraySlice<UInt8>, _ read: (inout ByteReader) -> Reading
    ) -> [AdvertisingReport] {
        var reader = ByteReader(parameters)
        var reports: [AdvertisingReport] = []
        for _ in 0..<(reader.byte() ?? 0) {
            switch read(&reader) {
            case .report(let report): reports.append(report)
            case .unusable: continue
            case .truncated: return reports
            }
        }
        return reports
    }

    static func legacyReport(_ reader: inout ByteReader) -> Reading {
        guard let type = reader.byte(), reader.byte() != nil, let address = reader.address(),
            let length = reader.byte(), let data = reader.bytes(Int(length)), reader.byte() != nil  // signal strength
        else { return .truncated }
        guard let kind = AdvertisingKind(rawValue: type) else { return .unusable }
        return .report(AdvertisingReport(address: address, isScanResponse: kind == .scanResponse, data: data))
    }

    static func extendedReport(_ reader: inout ByteReader) -> Reading {
        let (anonymous, scanResponse): (UInt8, UInt16) = (0xFF, 8)
        guard let bits = reader.number(UInt16.self), let addressKind = reader.byte(), let address = reader.address(),
            reader.bytes(2) != nil,  // primary and secondary PHY
            let set = reader.byte(),
            reader.bytes(11) != nil,  // TX power, signal strength, interval, and the address it is directed to
            let length = reader.byte(), let data = reader.bytes(Int(length))
        else { return .truncated }
        guard addressKind != anonymous, let completeness = Completeness(rawValue: bits >> 5 & 3) else { return .unusable }
        return .report(
            AdvertisingReport(
                address: address, isScanResponse: bits & scanResponse != 0, set: set, completeness: completeness, data: data))
    }
}

/// How a device advertises: what may be done with it.
package enum AdvertisingKind: UInt8, Sendable, CaseIterable {
    /// Accepts connections and scan requests.
    case connectable = 0
    /// Asks one particular host to connect.
    case directed = 1
    /// Accepts scan requests.
    case scannable = 2
    /// Accepts no connections and no scan requests: a beacon.
    case nonConnectable = 3
    /// The answer to a scan request.
    case scanResponse = 4
}

// MARK: - Reassembles the long advertisements of Bluetooth 5

struct AdvertisingAssembler: Sendable {
    /// The most that an advertisement holds.
    static let maxDataLength = 1_650
    /// The most incomplete advertisements at once; beyond that, an old one is dropped.
    static let maxAdvertisements = 32

    private struct Stream: Equatable {
        let adapter: UInt16
        let address: BluetoothAddress
        let set: UInt8
        let isScanResponse: Bool
    }

    /// The data so far of incomplete advertisements.
    private var collected = BoundedTable<Stream, ArraySlice<UInt8>>(capacity: maxAdvertisements)

    /// The whole advertisement if this report completes it. Of one that the adapter truncated, the part there is.
    mutating func receive(_ report: AdvertisingReport, of adapter: UInt16) -> AdvertisingReport? {
        let stream = Stream(
            adapter: adapter, address: report.address, set: report.set, isScanResponse: report.isScanResponse)
        var whole = report
        whole.data = (collected.remove(stream) ?? []) + report.data
        guard report.completeness == .moreToCome else { return whole.data.count > Self.maxDataLength ? nil : whole }
        // A byte too many is kept, so that one which is longer than an advertisement can be is dropped at its end.
        collected.insert(stream, whole.data.prefix(Self.maxDataLength + 1))
        return nil
    }

    /// The memory that incomplete advertisements take, in bytes.
    var footprint: Int {
        collected.contents.reduce(0) { $0 + MemoryLayout<(Stream, ArraySlice<UInt8>)>.stride + $1.value.count }
    }
}
