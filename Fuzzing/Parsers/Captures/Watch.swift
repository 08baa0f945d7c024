// Checks a decoder's results: they are possible values for any record.

@testable import Bluetooth

/// Two decoders that must agree, and a model of the connected devices.
struct Watch {
    private var decoder = ObservationDecoder()
    private var twin = ObservationDecoder()
    private var connected: [ConnectionID: BluetoothAddress] = [:]
    private var decoded = 0

    mutating func decode(_ record: CaptureRecord) {
        let observations = decoder.decode(record)
        let again = twin.decode(record)
        promise(observations == again, "two decoders see \(observations) and \(again)")
        decoded += 1
        if decoded % 64 == 0 { checkFootprint() }
        for timed in observations {
            let isThere = timed.time == record.time && timed.adapter == record.adapter
            promise(isThere, "\(timed) is not when and where its record is")
            check(timed.observation, timed.adapter, record)
        }
    }

    /// Not called after each record: the decoder walks its tables to compute it.
    func checkFootprint() {
        promise(decoder.footprint < 3_000_000, "the decoder remembers \(decoder.footprint) bytes")
    }

    private mutating func check(_ observation: Observation, _ adapter: UInt16, _ record: CaptureRecord) {
        switch observation {
        case .connected(let address, let handle):
            connected[ConnectionID(adapter: adapter, handle: handle)] = address
        case .disconnected(let address, let handle):
            checkAddress(address, ConnectionID(adapter: adapter, handle: handle))
            connected[ConnectionID(adapter: adapter, handle: handle)] = nil
        case .notification(let address, let handle, _, let value), .indication(let address, let handle, _, let value):
            checkAddress(address, ConnectionID(adapter: adapter, handle: handle))
            checkValue(value, record)
        case .advertisement(_, _, let data, let rssi):
            checkAdvertisement(data, rssi)
        }
    }

    /// Beyond its limit of connections, the decoder may have lost some.
    private func checkAddress(_ address: BluetoothAddress?, _ connection: ConnectionID) {
        promise(connection.handle.rawValue <= 0x0FFF, "a handle has twelve bits, and not \(connection.handle)")
        if address == nil, connected.count > ObservationDecoder.maxConnections { return }
        let right = connected[connection]
        promise(address == right, "\(connection) is reported as \(name(address)), but \(name(right)) has connected")
    }

    private func name(_ address: BluetoothAddress?) -> String { address?.description ?? "no device" }

    /// A frame is whole in one record, or put together from several up to a limit.
    private func checkValue(_ value: [UInt8], _ record: CaptureRecord) {
        let most = max(FrameAssembly.maxLength, record.bytes.count)
        promise(value.count <= most, "a value of \(value.count) bytes was put together; there can be \(most) at most")
    }

    private func checkAdvertisement(_ data: [ADStructure], _ rssi: Int8?) {
        let byteCount = data.reduce(0) { $0 + $1.byteCount }
        promise(rssi != AdvertisingReport.unknownRSSI, "a strength that is not known is given as a number")
        for structure in data {
            // Repaired text can be longer than the sent text.
            if case .name = structure { return }
        }
        promise(byteCount <= AdvertisingAssembler.maxDataLength, "an advertisement of \(byteCount) bytes was put together")
    }
}
