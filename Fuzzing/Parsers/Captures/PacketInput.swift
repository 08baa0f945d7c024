// Packets from the fuzzer's bytes. In a capture nearly every change spoils a length. Here every change leaves readable packets, so that the fuzzer
// reaches their contents.

@testable import Bluetooth

extension [CaptureRecord] {
    /// The first byte chooses the datalink. Then each packet has a byte for its head, one for its length, and that many bytes of content.
    init(packetsFrom input: [UInt8]) {
        self = []
        var reader = ByteReader(input[...])
        let datalink: Datalink = (reader.byte() ?? 0) & 1 == 0 ? .h4 : .monitor
        var time = CaptureTime(microsecondsSince1970: 0)
        while let head = reader.byte().map(PacketHead.init), let length = reader.byte() {
            time = time.advanced(by: head.pause)
            let content = reader.bytes(Int(length)) ?? reader.rest
            append(head.record(content, at: time, on: datalink))
        }
    }
}

/// One byte describes a packet: the lowest three bits its kind, then one its direction, two its adapter and two the pause.
private struct PacketHead {
    let byte: UInt8

    /// The last one steps back in time, as captures can.
    var pause: Duration { [.zero, .milliseconds(1), .seconds(1), .seconds(-3)][Int(byte >> 6)] }

    private var adapter: UInt16 { UInt16(byte >> 4 & 3) }

    func record(_ content: ArraySlice<UInt8>, at time: CaptureTime, on datalink: Datalink) -> CaptureRecord {
        guard let kind = HCIPacket.Kind(rawValue: byte & 7) else {
            // A new adapter, or a note.
            let flags = UInt32(adapter) << 16 | (byte & 7 == 0 ? 0 : 12)
            return CaptureRecord(datalink: datalink, time: time, flags: flags, bytes: Array(content))
        }
        let packet = HCIPacket(kind, byte & 8 == 0 ? .received : .sent, content)
        return CaptureRecord(packet, at: time, adapter: adapter, on: datalink)
    }
}
