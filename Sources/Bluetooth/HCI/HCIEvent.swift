// What the adapter tells the host: those few of its events from which connections and advertisements are known.

enum HCIEvent: Equatable {
    case connected(BluetoothAddress, ConnectionHandle)
    case disconnected(ConnectionHandle, DisconnectReason)
    case advertised([AdvertisingReport])
    /// Attempts that failed, and everything that is not listed above.
    case other

    static let success: UInt8 = 0

    /// Nil if the event is cut short, or shorter than its kind can be.
    init?(_ payload: ArraySlice<UInt8>) {
        var reader = ByteReader(payload)
        guard let code = reader.byte(), let length = reader.byte(), let parameters = reader.bytes(Int(length)),
            let event = Self.event(code, parameters)
        else { return nil }
        self = event
    }

    private static func event(_ code: UInt8, _ parameters: ArraySlice<UInt8>) -> HCIEvent? {
        switch code {
        case HCIEventCode.connectionComplete: connectionComplete(parameters)
        case HCIEventCode.disconnectionComplete: disconnectionComplete(parameters)
        case HCIEventCode.lowEnergy: lowEnergyEvent(parameters)
        default: .other
        }
    }

    private static func lowEnergyEvent(_ parameters: ArraySlice<UInt8>) -> HCIEvent? {
        let rest = parameters.dropFirst()
        switch parameters.first {
        case LowEnergyEventCode.connectionComplete: return lowEnergyConnectionComplete(rest, length: 18)
        case LowEnergyEventCode.enhancedConnectionComplete: return lowEnergyConnectionComplete(rest, length: 30)
        case LowEnergyEventCode.enhancedConnectionComplete2: return lowEnergyConnectionComplete(rest, length: 33)
        case LowEnergyEventCode.advertisingReport: return .advertised(AdvertisingReport.legacyReports(rest))
        case LowEnergyEventCode.extendedAdvertisingReport: return .advertised(AdvertisingReport.extendedReports(rest))
        case nil: return nil
        default: return .other
        }
    }

    // MARK: Connections

    /// A link for sound has a handle of its own, and the device was connected before it: only the link for data counts.
    private static func connectionComplete(_ parameters: ArraySlice<UInt8>) -> HCIEvent? {
        let linkForData: UInt8 = 1
        var reader = ByteReader(parameters)
        guard let status = reader.byte(), let handle = reader.number(UInt16.self), let address = reader.address(),
            let link = reader.byte(), reader.byte() != nil
        else { return nil }
        return status == success && link == linkForData ? .connected(address, ConnectionHandle(rawValue: handle)) : .other
    }

    /// All three versions begin alike: status, handle, role, kind of address, address. They differ in what follows.
    private static func lowEnergyConnectionComplete(_ parameters: ArraySlice<UInt8>, length: Int) -> HCIEvent? {
        guard parameters.count >= length else { return nil }
        var reader = ByteReader(parameters)
        guard let status = reader.byte(), let handle = reader.number(UInt16.self), reader.bytes(2) != nil,
            let address = reader.address()
        else { return nil }
        return status == success ? .connected(address, ConnectionHandle(rawValue: handle)) : .other
    }

    private static func disconnectionComplete(_ parameters: ArraySlice<UInt8>) -> HCIEvent? {
        var reader = ByteReader(parameters)
        guard let status = reader.byte(), let handle = reader.number(UInt16.self), let reason = reader.byte() else {
            return nil
        }
        guard status == success else { return .other }
        return .disconnected(ConnectionHandle(rawValue: handle), DisconnectReason(rawValue: reason))
    }
}
