// Advertisements as the adapter reports them, in the format of Bluetooth 4 and in the extended one of Bluetooth 5.

struct AdvertisingReport: Equatable {
    /// How much an advertisement of the older format holds.
    static let longestLegacyData = 31
    /// What stands for the signal's strength where it is not known.
    static let unknownStrength: Int8 = 127

    /// Whether there is more to this advertisement, in later reports.
    enum Completeness: UInt16 {
        /// This report ends it.
        case complete = 0
        /// Another report goes on with it.
        case moreToCome = 1
        /// There was more, and the adapter has lost it.
        case cut = 2
    }

    var address: BluetoothAddress
    var kind: AdvertisingKind
    /// Tells apart what one device advertises at the same time; the older format has only one.
    var set: UInt8 = 0
    var completeness = Completeness.complete
    var data: ArraySlice<UInt8>
    /// In dBm; nil if the adapter cannot say.
    var rssi: Int8?
}

// MARK: Reading them

extension AdvertisingReport {
    /// What came of reading one report out of several.
    private enum Reading {
        case report(AdvertisingReport)
        /// It is whole, but without an address, or of a kind that was not known when this was written.
        case ofNoUse
        /// The bytes end within it.
        case brokenOff
    }

    /// All reports of one event of Bluetooth 4 that can be read: what is behind a broken one is lost.
    static func legacyReports(_ parameters: ArraySlice<UInt8>) -> [AdvertisingReport] {
        reports(parameters) { legacyReport(&$0) }
    }

    /// The same of Bluetooth 5.
    static func extendedReports(_ parameters: ArraySlice<UInt8>) -> [AdvertisingReport] {
        reports(parameters) { extendedReport(&$0) }
    }

    /// Reads as many as the first byte says.
    private static func reports(
        _ parameters: ArraySlice<UInt8>, _ read: (inout ByteReader) -> Reading
    ) -> [AdvertisingReport] {
        var reader = ByteReader(parameters)
        var reports: [AdvertisingReport] = []
        for _ in 0..<(reader.byte() ?? 0) {
            switch read(&reader) {
            case .report(let report): reports.append(report)
            case .ofNoUse: continue
            case .brokenOff: return reports
            }
        }
        return reports
    }

    private static func legacyReport(_ reader: inout ByteReader) -> Reading {
        guard let type = reader.byte(), reader.byte() != nil, let address = reader.address(),
            let length = reader.byte(), let data = reader.bytes(Int(length)), let rssi = reader.number(Int8.self)
        else { return .brokenOff }
        guard let kind = AdvertisingKind(rawValue: type) else { return .ofNoUse }
        return .report(AdvertisingReport(address: address, kind: kind, data: data, rssi: known(rssi)))
    }

    private static func extendedReport(_ reader: inout ByteReader) -> Reading {
        let anonymous: UInt8 = 0xFF
        guard let bits = reader.number(UInt16.self), let addressKind = reader.byte(), let address = reader.address(),
            reader.bytes(2) != nil,  // two radio layers
            let set = reader.byte(),
            reader.byte() != nil,  // the power of sending
            let rssi = reader.number(Int8.self),
            reader.bytes(9) != nil,  // the period, and whom it is directed to
            let length = reader.byte(), let data = reader.bytes(Int(length))
        else { return .brokenOff }
        guard addressKind != anonymous, let completeness = Completeness(rawValue: bits >> 5 & 3) else { return .ofNoUse }
        return .report(
            AdvertisingReport(
                address: address, kind: AdvertisingKind(extended: bits), set: set, completeness: completeness, data: data,
                rssi: known(rssi)))
    }

    private static func known(_ rssi: Int8) -> Int8? {
        rssi == unknownStrength ? nil : rssi
    }
}
