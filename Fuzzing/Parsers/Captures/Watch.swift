// Checks a decoder's results: they are possible values for any record.

@testable import Bluetooth

/// Two decoders that must agree, and a model of the connected devices.
struct Watch {
    private var decoder = ObservationDecoder()
    private var twin = ObservationDecoder()
    private var connected: Set<BluetoothAddress> = []
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

    /// Beyond its limit of connections, the decoder may have forgotten some.
    private mutating func check(_ observation: Observation, _ record: CaptureRecord) {
        let mayHaveForgotten = decoded > ObservationDecoder.maxConnections
        switch (observation.action, observation.address) {
        case (.connected, let address?):
            promise(connected.insert(address).inserted || mayHaveForgotten, "\(address) connects, and is connected already")
        case (.disconnected, let address?):
            promise(connected.remove(address) != nil, "\(address) disconnects, and is not connected")
        case (.notified(_, let value, _), let address):
            promise(address.map(connected.contains) ?? true, "\(observation) is of a device that is not connected")
            checkValue(value, record)
        case (.advertised(let data, _), _?): checkAdvertisement(data)
        default: promise(false, "\(observation) should have an address")
        }
    }

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
