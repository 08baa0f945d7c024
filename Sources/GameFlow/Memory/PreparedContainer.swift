// A decoding container that is used again for the next session.

/// Holds a container for one type of keys, and a list of such keys. It is type-erased: as an unspecialized generic class it would look
/// up its metadata at each access, which took a sixth of the time to restore a session.
final class PreparedContainer {
    /// The type of its keys. Reading with another type is undefined.
    let keyType: ObjectIdentifier
    /// The name that the keys belong to.
    private(set) var name: String?
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

    func container<Key: CodingKey>(for type: Key.Type) -> KeyedDecodingContainer<Key> {
        container.assumingMemoryBound(to: KeyedDecodingContainer<Key>.self).pointee
    }

    func keys<Key: CodingKey>(of type: Key.Type) -> [Key] {
        keys.assumingMemoryBound(to: [Key].self).pointee
    }

    func keep<Key: CodingKey>(_ keys: [Key], named name: String) {
        self.name = name
        self.keys.assumingMemoryBound(to: [Key].self).pointee = keys
    }
}
