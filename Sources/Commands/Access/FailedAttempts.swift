// Wrong tokens by the address that they came from: after some in a minute, it waits.

import Posix
import Timers

struct FailedAttempts {
    private struct Entry {
        let since: Instant
        var count = 0
        /// Hashes of the token names that were guessed at, at most `most`: their texts are a client's and of any length.
        var subjects: Set<Int> = []
    }

    static let maxCount = 10
    static let window = Duration.seconds(60)
    private static let maxAddresses = 1_024

    private var entries: [[UInt8]: Entry] = [:]
    var count: Int { entries.count }

    /// How long that address waits before the next guess; nil for one that need not.
    mutating func wait(_ machine: String, at now: Instant) -> Duration? {
        guard let entry = entries[TcpAddress.network(of: machine)], entry.count >= Self.maxCount else { return nil }
        let left = Self.window - entry.since.duration(to: now)
        if left <= .zero { entries[TcpAddress.network(of: machine)] = nil }
        return left > .zero ? left : nil
    }

    /// Whether wrong secrets for that token came from that network in the last minute. Other tokens stay usable, so a screen with an old token does
    /// not lock out the rest.
    func hasGuessed(_ subject: String, _ machine: String) -> Bool {
        entries[TcpAddress.network(of: machine)]?.subjects.contains(subject.hashValue) ?? false
    }

    mutating func add(_ subject: String, _ machine: String, at now: Instant) {
        let network = TcpAddress.network(of: machine)
        var entry = entries[network] ?? Entry(since: now)
        if entry.since.duration(to: now) >= Self.window { entry = Entry(since: now) }
        entry.count += 1
        if entry.subjects.count < Self.maxCount { entry.subjects.insert(subject.hashValue) }
        if entries[network] == nil, entries.count >= Self.maxAddresses { makeRoom(at: now) }
        entries[network] = entry
    }

    private mutating func makeRoom(at now: Instant) {
        entries = entries.filter { $0.value.since.duration(to: now) < Self.window }
        guard entries.count >= Self.maxAddresses, let oldest = entries.min(by: { $0.value.since < $1.value.since }) else {
            return
        }
        entries[oldest.key] = nil
    }
}
