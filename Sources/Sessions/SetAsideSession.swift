import GameFlow
import Memory
import Texts

/// A session that could not be restored after a start, or moved to a flow that has changed. Its row stays in the database.
package struct SetAsideSession {
    package let name: ByteString
    /// The number of its row: below zero, unless it was set aside while the daemon ran.
    package let id: Int64
    package let flow: String
    package internal(set) var problem: String
    /// Whether only RETRY restores it: the daemon died of it, or its row was damaged. All others are tried again at each start, and when
    /// their flow changes.
    package let isQuarantined: Bool
    /// Nil for one that a start has set aside.
    package let reserved: ReservedSlot?

    /// Whether it was set aside while the daemon ran, and so is in memory.
    package var isInMemory: Bool { reserved != nil }

    package var error: SessionError { error(isForMaster: true) }

    /// Only a client that may use RETRY and DROP sees them in the error.
    package func error(isForMaster: Bool) -> SessionError {
        SessionError(.setAside, isForMaster ? "\(sentence); \(advice)" : sentence)
    }

    /// Logged at each start, and when a flow changes.
    package var report: String { isQuarantined ? "\(sentence); \(advice)" : sentence }

    private var sentence: String {
        let name = name.text.shortened
        if isQuarantined { return "'\(name)' is quarantined: \(problem)" }
        return reserved == nil
            ? "'\(name)' could not be restored and was set aside: \(problem)"
            : "'\(name)' was set aside when its flow changed: \(problem)"
    }

    private var advice: String {
        let name = name.text.shortened.shellWord
        let start =
            isQuarantined
            ? "HISTORY \(name) and SESSIONS 0 STATE ! show it, "
            : "it is restored when its flow fits again (RELOAD or a restart); "
        return start + "RETRY \(name) tries it again, DROP \(name) discards it"
    }
}

extension SetAsideSession {
    /// One that a start has set aside.
    package init(name: ByteString, id: Int64, flow: String, problem: String, isQuarantined: Bool = false) {
        self.init(name: name, id: id, flow: flow, problem: problem, isQuarantined: isQuarantined, reserved: nil)
    }
}

/// The slot of a session that was set aside while the daemon ran, kept until it is reinstated.
package struct ReservedSlot {
    let slot: UInt32
    package let life: Life
    /// The short number of its newest entry.
    let latest: UInt32
    /// The number of its flow.
    let flow: Int
    package let state: String
    package let version: UInt32
    /// The number of its newest entry, counted within its life.
    package let seq: UInt32
    /// The ids of its children.
    let children: [String]
    /// The parameters of the definition that it had.
    let parameters: [Parameter]
    /// Nil if its state could not be encoded.
    package let image: SessionImage?
    /// The mark of its expiry in its row; nil if it does not expire.
    package let expiry: TimerImage?
    /// When that was.
    package let at: Instant
    /// The change of flows that it did not fit.
    let change: Int

    /// The image as of now.
    func image(on timekeeper: Timekeeper) throws -> SessionImage {
        guard var image else { throw RestorationError("its state could not be read by the definition that it began with") }
        image.away = at.duration(to: timekeeper.now)
        return image
    }
}

// MARK: - The sessions that were set aside

/// In parts, so that none takes long when it grows, and all can be gone through bit by bit.
package struct SetAsideSessions {
    package static let partCount = 256

    private var parts: [[ByteString: SetAsideSession]] = Array(repeating: [:], count: SetAsideSessions.partCount)
    private let partsOfGroup: Int
    private let groupOf: (ByteString) -> Int
    package private(set) var count = 0
    package private(set) var quarantinedCount = 0

    /// In groups by name, from 0 on. Those of one group are found without the others.
    package init(groups count: Int = 1, by groupOf: @escaping (ByteString) -> Int = { _ in 0 }) {
        (partsOfGroup, self.groupOf) = (max(1, Self.partCount / count), groupOf)
    }

    package var isEmpty: Bool { count == 0 }

    package subscript(name: ByteString) -> SetAsideSession? {
        get { count == 0 ? nil : parts[part(of: name)][name] }
        set {
            let part = part(of: name)
            let old = newValue.map { parts[part].updateValue($0, forKey: name) } ?? parts[part].removeValue(forKey: name)
            if let old { adjustCounts(for: old, by: -1) }
            if let newValue { adjustCounts(for: newValue, by: 1) }
        }
    }

    private mutating func adjustCounts(for session: SetAsideSession, by more: Int) {
        count += more
        if session.isQuarantined { quarantinedCount += more }
    }

    private func part(of name: ByteString) -> Int {
        firstPart(ofGroup: groupOf(name)) + (Int(truncatingIfNeeded: name.hashValue) & .max) % partsOfGroup
    }

    private func firstPart(ofGroup group: Int) -> Int { group * partsOfGroup % Self.partCount }

    package mutating func removeValue(forKey name: ByteString) -> SetAsideSession? {
        defer { self[name] = nil }
        return self[name]
    }

    /// The sessions of one part; each session is in one.
    package func part(_ number: Int) -> some Sequence<SetAsideSession> { parts[number].values }

    /// Those of a group, and of some others if there are more groups than parts.
    package func group(_ number: Int) -> some Sequence<SetAsideSession> {
        let first = firstPart(ofGroup: number)
        return parts[first..<first + partsOfGroup].lazy.flatMap(\.values)
    }

    /// All of them, which may be many.
    package var values: some Sequence<SetAsideSession> { parts.lazy.flatMap(\.values) }
}
