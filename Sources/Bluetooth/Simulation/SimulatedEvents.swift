// The events that an adapter would have sent for a simulated device.

extension HCIPacket {
    /// A Low Energy connection in which the host is the central.
    static func lowEnergyConnectionComplete(_ address: BluetoothAddress, _ handle: ConnectionHandle) -> HCIPacket {
        var parameters = [HCIEvent.success]
        parameters.append(number: handle.rawValue)
        parameters += [0x00, 0x00]  // the host's role, central; a public address
        parameters.append(address)
        parameters.append(number: UInt16(24))  // the interval, 30 ms
        parameters.append(number: UInt16(0))  // no latency
        parameters.append(number: UInt16(500))  // the timeout, 5 s
        parameters.append(0x00)  // the clock's accuracy
        return lowEnergyEvent(.connectionComplete, parameters)
    }

    static func disconnectionComplete(_ handle: ConnectionHandle, _ reason: DisconnectReason) -> HCIPacket {
        var parameters = [HCIEvent.success]
        parameters.append(number: handle.rawValue)
        parameters.append(reason.rawValue)
        return event(.disconnectionComplete, parameters)
    }

    /// A legacy report, with data that fits into it.
    static func advertisingReport(_ report: AdvertisingReport) -> HCIPacket {
        var parameters: [UInt8] = [0x01, report.kind.rawValue, 0x00]  // one report; its kind; a public address
        parameters.append(report.address)
        parameters.append(UInt8(report.data.count))
        parameters += report.data
        parameters.append(number: report.rssi ?? AdvertisingReport.unknownRSSI)
        return lowEnergyEvent(.advertisingReport, parameters)
    }

    private static func lowEnergyEvent(_ kind: LowEnergyEventCode, _ parameters: [UInt8]) -> HCIPacket {
        event(.lowEnergy, [kind.rawValue] + parameters)
    }

    private static func event(_ code: HCIEventCode, _ parameters: [UInt8]) -> HCIPacket {
        HCIPacket(.event, .received, [code.rawValue, UInt8(parameters.count)] + parameters[...])
    }
}
