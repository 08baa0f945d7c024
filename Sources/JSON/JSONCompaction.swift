// JSON that has been scanned, without the blanks between its tokens.

extension JSONCursor {
    /// As much of it as makes more than `most` bytes, or all of it.
    func compacted(atMost most: Int) -> [UInt8] {
        var (cursor, bytes) = (self, [UInt8]())
        bytes.reserveCapacity(Swift.min(left, most + 8))
        cursor.skipBlanks()
        while !cursor.isAtEnd, bytes.count <= most {
            let start = cursor.place
            cursor.skipToBlank(atMost: most + 1 - bytes.count)
            let length = Swift.min(cursor.place - start, most + 1 - bytes.count)
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: length))
            cursor.skipBlanks()
        }
        return bytes
    }

    /// Whether there is a blank in it that stands in no text.
    var hasBlank: Bool {
        var cursor = self
        cursor.skipToBlank(atMost: left)
        return !cursor.isAtEnd
    }

    private mutating func skipToBlank(atMost most: Int) {
        let last = place + most
        while !isAtEnd, place < last, !byte.isBlank {
            if byte == .quote { skipText() } else { step() }
        }
    }
}
