// Readers by the name of the channel or session that they follow.

import Memory

package struct Audience<Reader: AnyObject> {
    private var readers: [ByteString: [ObjectIdentifier: Reader]] = [:]

    package init() {}

    package var isEmpty: Bool { readers.isEmpty }
    package var names: Dictionary<ByteString, [ObjectIdentifier: Reader]>.Keys { readers.keys }

    /// Whether it has a reader.
    package func has(_ name: ByteString) -> Bool { readers[name] != nil }

    package subscript(name: ByteString) -> Dictionary<ObjectIdentifier, Reader>.Values { (readers[name] ?? [:]).values }

    package mutating func add(_ reader: Reader, to name: ByteString) {
        readers[name, default: [:]][ObjectIdentifier(reader)] = reader
    }

    package mutating func remove(_ reader: Reader, from name: ByteString) {
        readers[name]?[ObjectIdentifier(reader)] = nil
        if readers[name]?.isEmpty == true { readers[name] = nil }
    }
}
