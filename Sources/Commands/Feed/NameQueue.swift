// Names of sessions that are still to be sent.

import Memory

/// Names, each once, in the order in which they were added.
struct NameQueue {
    private var names: [ByteString] = []
    /// How many of them have been taken out.
    private var taken = 0
    private var known: Set<ByteString> = []
    /// Roughly its memory.
    private(set) var bytes = 0

    var count: Int { known.count }
    var isEmpty: Bool { known.isEmpty }

    private static func bytes(of name: ByteString) -> Int { 120 + name.count }

    mutating func add(_ name: ByteString) {
        guard known.insert(name).inserted else { return }
        names.append(name)
        bytes += Self.bytes(of: name)
    }

    /// Its place in the order stays, and is passed over.
    mutating func remove(_ name: ByteString) {
        if known.remove(name) != nil { bytes -= Self.bytes(of: name) }
    }

    mutating func popFirst() -> ByteString? {
        while taken < names.count {
            let name = names[taken]
            taken += 1
            if taken == names.count { (names, taken) = ([], 0) }
            guard known.contains(name) else { continue }
            remove(name)
            return name
        }
        return nil
    }

    mutating func removeAll(where isLeft: (ByteString) -> Bool) {
        let kept = names[taken...].filter { known.contains($0) && !isLeft($0) }
        self = NameQueue()
        for name in kept { add(name) }
    }
}
