// The events by which an adapter would have told of a simulated device.

extension HCIPacket {
    /// A Low Energy connection in which we are the central.
    static func lowEnergyConnectionComplete(_ address: BluetoothAddress, _ handle: ConnectionHandle) -> HCIPacket {
        var parameters = [HCIEvent.success]
        parameters.append(number: handle.rawValue)
        parameters += [0x00, 0x00]  // our role, central; a public address
        parameters.append(address)
        parameters.append(number: UInt16(24))  // the interval, 30 ms
        parameters.append(number: UInt16(0))  // no latency
        parameters.append(number: UInt16(500))  // the timeout, 5 s
        parameters.append(0x00)  // the clock's accuracy
        return lowEnergyEvent(LowEnergyEventCode.connectionComplete, parameters)
    }

    static func disconnectionComplete(_ handle: ConnectionHandle, _ reason: DisconnectReason) -> HCIPacket {
        var parameters = [HCIEvent.success]
        parameters.append(number: handle.rawValue)
        parameters.append(reason.rawValue)
        return event(HCIEventCode.disconnectionComplete, parameters)
    }

    /// A report in the format of Bluetooth 4, whose data must fit in it.
    static func advertisingReport(_ report: AdvertisingReport) -> HCIPacket {
        var parameters: [UInt8] = [0x01, report.kind.rawValue, 0x00]  // one report; its kind; a public address
        parameters.append(report.address)
        parameters.append(UInt8(report.data.count))
        parameters += report.data
        parameters.append(number: report.rssi ?? AdvertisingReport.unknownStrength)
        return lowEnergyEvent(LowEnergyEventCode.advertisingReport, parameters)
    }

    private static func lowEnergyEvent(_ kind: UInt8, _ parameters: [UInt8]) -> HCIPacket {
        event(HCIEventCode.lowEnergy, [kind] + parameters)
    }

    private static func event(_ code: UInt8, _ parameters: [UInt8]) -> HCIPacket {
        HCIPacket(.event, .received, [code, UInt8(parameters.count)] + parameters[...])
    }
}
