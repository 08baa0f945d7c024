/// A frame of L2CAP, the layer that shares one connection among channels.
struct L2CAPFrame: Equatable {
    static let headerLength = 4
    /// The channel of ATT over Low Energy, where attributes are read, written and notified.
    static let attributeChannel: UInt16 = 4

    let channel: UInt16
    let payload: ArraySlice<UInt8>

    init(channel: UInt16, payload: ArraySlice<UInt8>) {
        self.channel = channel
        self.payload = payload
    }

    /// From the bytes of exactly one frame.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = ByteReader(bytes)
        guard let length = reader.number(UInt16.self), let channel = reader.number(UInt16.self),
            reader.rest.count == length
        else { return nil }
        self.channel = channel
        payload = reader.rest
    }

    var serialized: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: UInt16(clamping: payload.count))
        bytes.append(number: channel)
        return bytes + payload
    }
}
