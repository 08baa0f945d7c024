// Server-sent events, as another node tells them: each has a name and one line of data.

struct EventParser {
    struct Event: Equatable {
        var name: String
        let data: ArraySlice<UInt8>
    }

    /// More than an event may take.
    private static let maxCount = 8 << 20
    private static let newline = UInt8(ascii: "\n")

    private var bytes: [UInt8] = []
    /// So much of them has no end of an event in it.
    private var searched = 0

    /// The events that are whole with these bytes. Nil if one is longer than any may be.
    mutating func add(_ more: [UInt8]) -> [Event]? {
        bytes += more
        var (events, begin): ([Event], Int) = ([], 0)
        while let end = endOfEvent(from: max(begin, searched)) {
            if let event = Self.event(bytes[begin..<end]) { events.append(event) }
            (begin, searched) = (end + 2, end + 2)
        }
        bytes.removeFirst(begin)
        searched = max(0, bytes.count - 1)
        return bytes.count <= Self.maxCount ? events : nil
    }

    /// Where two line breaks follow each other.
    private func endOfEvent(from start: Int) -> Int? {
        var place = start
        while let found = bytes[place...].firstIndex(of: Self.newline), found + 1 < bytes.count {
            if bytes[found + 1] == Self.newline { return found }
            place = found + 1
        }
        return nil
    }

    /// Nil for a comment.
    private static func event(_ lines: ArraySlice<UInt8>) -> Event? {
        var (name, data): (String?, ArraySlice<UInt8>?) = (nil, nil)
        for line in lines.split(separator: newline) {
            if let value = line.dropping("event: ") { name = String(validating: value, as: UTF8.self) }
            if let value = line.dropping("data: ") { data = value }
        }
        guard let name, let data else { return nil }
        return Event(name: name, data: data)
    }
}

extension ArraySlice<UInt8> {
    fileprivate func dropping(_ prefix: String) -> ArraySlice<UInt8>? {
        starts(with: prefix.utf8) ? dropFirst(prefix.utf8.count) : nil
    }
}
