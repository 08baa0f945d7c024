// The sessions that were set aside, by name: as many as there are sessions, where a flow is gone.

import Memory

/// In parts, so that none takes long when it grows, and all can be gone through bit by bit.
package struct SetAsideSessions {
    package static let partCount = 256

    private var parts: [[ByteString: SetAsideSession]] = Array(repeating: [:], count: SetAsideSessions.partCount)
    package private(set) var count = 0
    package private(set) var quarantinedCount = 0

    package var isEmpty: Bool { count == 0 }

    package subscript(name: ByteString) -> SetAsideSession? {
        get { count == 0 ? nil : parts[Self.part(of: name)][name] }
        set {
            let part = Self.part(of: name)
            let old = newValue.map { parts[part].updateValue($0, forKey: name) } ?? parts[part].removeValue(forKey: name)
            if let old { adjustCounts(for: old, by: -1) }
            if let newValue { adjustCounts(for: newValue, by: 1) }
        }
    }

    private mutating func adjustCounts(for session: SetAsideSession, by more: Int) {
        count += more
        if session.isQuarantined { quarantinedCount += more }
    }

    private static func part(of name: ByteString) -> Int { Int(truncatingIfNeeded: name.hashValue) & (partCount - 1) }

    package mutating func removeValue(forKey name: ByteString) -> SetAsideSession? {
        defer { self[name] = nil }
        return self[name]
    }

    /// One part of them; each is in one.
    package func part(_ number: Int) -> some Sequence<SetAsideSession> { parts[number].values }

    /// All of them, which may be many.
    package var values: some Sequence<SetAsideSession> { parts.lazy.flatMap(\.values) }
}
