// Scanned JSON without the blanks between its tokens.

extension JSONCursor {
    /// All of it, or as much as first exceeds `most` bytes.
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

    /// Whether it has a blank outside of strings.
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
