// A container of Codable's that is used again, with what it said last.

/// Holds a container for one type of keys, and a list of such keys. By address and not as a generic class: what is generic at run
/// time asks for its type each time that it is touched, and that took a sixth of all the time that a session needs to come back.
final class PreparedContainer {
    /// The type of its keys. Whoever asks for another one than this reads what is not there.
    let keyType: ObjectIdentifier
    /// The name to which the keys belong.
    @exclusivity(unchecked) private(set) var name: String?
    private let container: UnsafeMutableRawPointer
    private let keys: UnsafeMutableRawPointer
    private let free: () -> Void

    init<Key: CodingKey>(_ prepared: KeyedDecodingContainer<Key>) {
        keyType = ObjectIdentifier(Key.self)
        let container = UnsafeMutablePointer<KeyedDecodingContainer<Key>>.allocate(capacity: 1)
        let keys = UnsafeMutablePointer<[Key]>.allocate(capacity: 1)
        container.initialize(to: prepared)
        keys.initialize(to: [])
        self.container = UnsafeMutableRawPointer(container)
        self.keys = UnsafeMutableRawPointer(keys)
        free = {
            container.deinitialize(count: 1)
            container.deallocate()
            keys.deinitialize(count: 1)
            keys.deallocate()
        }
    }

    deinit {
        free()
    }

    @inline(__always)
    func container<Key: CodingKey>(for type: Key.Type) -> KeyedDecodingContainer<Key> {
        container.assumingMemoryBound(to: KeyedDecodingContainer<Key>.self).pointee
    }

    @inline(__always)
    func keys<Key: CodingKey>(of type: Key.Type) -> [Key] {
        keys.assumingMemoryBound(to: [Key].self).pointee
    }

    func keep<Key: CodingKey>(_ keys: [Key], named name: String) {
        self.name = name
        self.keys.assumingMemoryBound(to: [Key].self).pointee = keys
    }
}
