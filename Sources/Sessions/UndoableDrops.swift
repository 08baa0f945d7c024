// The sessions that were dropped last, so that a DROP can be taken back for some seconds.

import GameFlow
import Memory
import Timers

/// The last 64 drops that can be undone, in memory only. A drop is cheap: it mostly keeps the machine, with its timers stopped. UNDROP
/// makes the image.
struct UndoableDrops: ~Copyable {
    /// A session as it was when it was dropped.
    struct Drop {
        let name: ByteString
        /// The name of its flow.
        let flow: String
        /// The ids of its children.
        let children: [String]
        /// The session that had begun it; nil if none had.
        let parent: String?
        /// Nil for a session for which something waited or worked, which has ended with its machine.
        fileprivate let machine: AnyMachine?
        /// Nil until it is needed, and if the state cannot be encoded.
        fileprivate let image: SessionImage?
        let at: Instant
        fileprivate let wasFrozen: Bool
        /// Whether the daemon did that.
        fileprivate let wasHalted: Bool
        /// How many drops there had been before.
        fileprivate let number: Int
        /// Roughly its bytes; nil until first measured.
        fileprivate var size: Int?
    }

    /// At most this many sessions, and at most this many bytes carried by their states.
    static let (maxCount, maxBytes) = (64, 4 << 20)

    /// For how long a drop can be undone; zero if never, which also forgets the drops so far.
    var limit = Duration.seconds(10) { didSet { if !isEnabled { drops = [] } } }
    var isEnabled: Bool { limit > .zero }
    /// Whether `removeExpired` will be called.
    private var isExpiring = false

    /// The newest last.
    private var drops: [Drop] = []
    /// How many there have been.
    private var added = 0

    var count: Int { drops.count }
    var isEmpty: Bool { drops.isEmpty }

    /// Keeps the machine, which no longer belongs to a session. Returns true if `removeExpired` has to be called from now on.
    mutating func add(_ machine: AnyMachine, named name: ByteString, asChildOf parent: String? = nil) -> Bool {
        if let oldest = drops.first, added - oldest.number >= Self.maxCount { drops.removeFirst() }
        drops.append(Drop(machine, named: name, asChildOf: parent, number: added))
        added += 1
        defer { isExpiring = true }
        return !isExpiring
    }

    /// Removes and returns the last drop of that name; forgets earlier ones, too.
    mutating func remove(_ name: ByteString) -> Drop? {
        defer { removeAll { $0 == name } }
        return last(name)
    }

    func last(_ name: ByteString) -> Drop? { drops.last { $0.name == name } }

    /// Forgets the drops of sessions with such names.
    mutating func removeAll(where isMeant: (ByteString) -> Bool) { drops.removeAll { isMeant($0.name) } }

    // MARK: Expiry

    /// Forgets drops past the limit, and drops for which there is no room. Returns the milliseconds until the next call; nil if there is no need for
    /// one.
    mutating func removeExpired(on timekeeper: Timekeeper) -> Int? {
        removeExpired(before: timekeeper.now.advanced(by: .zero - limit))
        // Virtual time may stand still for any real time.
        isExpiring = !isEmpty && !(timekeeper.source is VirtualClock)
        return isExpiring ? 250 : nil
    }

    private mutating func removeExpired(before oldest: Instant) {
        var bytes = 0
        for index in drops.indices.reversed() {
            if bytes <= Self.maxBytes, drops[index].at >= oldest {
                let size = drops[index].size ?? drops[index].bytes(atMost: Self.maxBytes)
                drops[index].size = size
                bytes += size
                if bytes <= Self.maxBytes { continue }
            }
            drops.remove(at: index)
        }
        if isEmpty { drops = [] }
    }
}

extension UndoableDrops.Drop {
    fileprivate init(_ machine: AnyMachine, named name: ByteString, asChildOf parent: String?, number: Int) {
        self.number = number
        (self.name, flow, children, self.parent) = (name, machine.flowName, machine.children.map(\.id), parent)
        (at, wasFrozen, wasHalted) = (machine.timekeeper.now, machine.isFrozen, machine.isHalted)
        if machine.hasWaiting {
            (self.machine, image) = (nil, try? SessionImage(ofDropped: machine))
        } else {
            machine.clock.freeze()
            // The machine no longer belongs to a session.
            machine.forgetHalt()
            (self.machine, image) = (machine, nil)
        }
    }

    /// The machine of the session that takes its place.
    func machine(of kind: FlowKind, on timekeeper: Timekeeper) throws -> AnyMachine {
        guard var image = try image ?? machine.map(SessionImage.init(ofDropped:)) else {
            throw RestorationError("it cannot be read")
        }
        // The time since the drop does not count.
        let dropped = at.duration(to: timekeeper.now)
        image.since = image.since?.advanced(by: dropped)
        if self.image == nil { image.dropped = dropped }
        (image.isFrozen, image.isHalted) = (wasFrozen, wasHalted)
        return try kind.begin(on: timekeeper, at: image)
    }

    /// Bytes that the state carries, roughly.
    fileprivate func bytes(atMost most: Int) -> Int {
        let own = 512
        if let image { return own + image.waitingBytes + image.data.length(atMost: most) }
        guard let machine, !machine.carriesOnlyTimers, let data = try? machine.stateData() else { return own }
        return own + data.length(atMost: most)
    }
}
