/// A frame of the layer that lets several conversations share a connection, each on a channel of its own.
struct L2CAPFrame: Equatable {
    static let headerLength = 4
    /// The channel on which attributes are read, written and notified, over Low Energy.
    static let attributeChannel: UInt16 = 4

    let channel: UInt16
    let payload: ArraySlice<UInt8>

    init(channel: UInt16, payload: ArraySlice<UInt8>) {
        self.channel = channel
        self.payload = payload
    }

    /// From bytes that hold one frame and nothing else.
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
