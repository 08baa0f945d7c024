// Readers by the name of the session that they watch.

import Memory

struct Audience {
    private var readers: [ByteString: [ObjectIdentifier: FeedReader]] = [:]

    var isEmpty: Bool { readers.isEmpty }

    subscript(name: ByteString) -> Dictionary<ObjectIdentifier, FeedReader>.Values? { readers[name]?.values }

    mutating func add(_ reader: FeedReader, to name: ByteString) {
        readers[name, default: [:]][ObjectIdentifier(reader)] = reader
    }

    mutating func remove(_ reader: FeedReader, from name: ByteString) {
        readers[name]?[ObjectIdentifier(reader)] = nil
        if readers[name]?.isEmpty == true { readers[name] = nil }
    }
}
