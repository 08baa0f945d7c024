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
        for observation in observations { check(observation, record) }
    }

    /// Not called after each record: the decoder walks its tables to compute it.
    func checkFootprint() {
        promise(decoder.footprint < 3_000_000, "the decoder remembers \(decoder.footprint) bytes")
    }

    private mutating func check(_ observation: Observation, _ record: CaptureRecord) {
        let connection = observation.connection
        promise(connection == nil || connection?.adapter == record.adapter, "\(observation) is not where its record is")
        if observation.action != .connected, let connection { checkAddress(observation.address, connection) }
        switch (observation.action, connection) {
        case (.connected, let connection?): connected[connection] = observation.address
        case (.disconnected, let connection?): connected[connection] = nil
        case (.notified(_, let value, _), _?): checkValue(value, record)
        case (.advertised(let data, _), nil): checkAdvertisement(data)
        default: promise(false, "\(observation) should have a connection, unless it is an advertisement")
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
        let most = max(FrameAssembler.maxLength, record.bytes.count)
        promise(value.count <= most, "a value of \(value.count) bytes was put together; there can be \(most) at most")
    }

    private func checkAdvertisement(_ data: [ADStructure]) {
        let byteCount = data.reduce(0) { $0 + $1.byteCount }
        for structure in data {
            // Repaired text can be longer than the sent text.
            if case .name = structure { return }
        }
        promise(byteCount <= AdvertisingAssembler.maxDataLength, "an advertisement of \(byteCount) bytes was put together")
    }
}
