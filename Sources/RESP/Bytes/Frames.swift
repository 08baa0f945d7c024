// The pieces that requests and replies are both written of: header lines, bulks, and lines of text.

extension ByteQueue {
    /// `$4`, `*3`, `:-1`: a marker and a number.
    mutating func append(header marker: UInt8, _ number: Int) {
        let room = room(for: Decimal.longest + 3)
        guard let start = room.baseAddress else { return }
        room[0] = marker
        let end = 1 + Decimal.write(number, to: start + 1)
        room[end] = .carriageReturn
        room[end + 1] = .lineFeed
        commit(end + 2)
    }

    mutating func append(bulk bytes: UnsafeRawBufferPointer) {
        append(header: .dollar, bytes.count)
        append(bytes)
        appendLineEnd()
    }

    mutating func append(bulk text: String) {
        var text = text
        text.withUTF8 { append(bulk: UnsafeRawBufferPointer($0)) }
    }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Text of a line that must not end early: line ends in it become spaces.
    mutating func append(lineOf text: String) {
        var text = text
        text.withUTF8 { append(lineOf: UnsafeRawBufferPointer($0)) }
    }

    mutating func append(lineOf bytes: UnsafeRawBufferPointer) {
        guard let from = bytes.baseAddress, let to = room(for: bytes.count).baseAddress else { return }
        var offset = 0
        while offset < bytes.count {
            let byte = from.load(fromByteOffset: offset, as: UInt8.self)
            let isLineEnd = byte == .carriageReturn || byte == .lineFeed
            to.storeBytes(of: isLineEnd ? .space : byte, toByteOffset: offset, as: UInt8.self)
            offset &+= 1
        }
        commit(bytes.count)
    }

    mutating func appendLineEnd() {
        let room = room(for: 2)
        room[0] = .carriageReturn
        room[1] = .lineFeed
        commit(2)
    }
}
