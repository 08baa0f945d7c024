// Subscribed patterns, found by the name of a channel. Patterns of readers that may not see a session are not compared with its name,
// others mostly by one look at the letters that they need, and the result is kept for the next event of the session.

import Memory
import RESP

/// Readers of the same sessions share a group of patterns.
final class PatternIndex {
    final class Pattern {
        let name: ByteString
        let glob: Glob
        fileprivate(set) var audience: [ObjectIdentifier: FeedReader] = [:]
        /// How many subscriptions are charged to a consumer.
        fileprivate var holders: [ShareHolder: Int] = [:]
        /// Its index in the group's list.
        fileprivate var index = 0

        fileprivate init(_ name: ByteString) {
            self.name = name
            glob = Glob(name)
        }
    }

    private final class Group {
        var byName: [ByteString: Pattern] = [:]
        var patterns: [Pattern] = []
        /// In the order of `patterns`.
        var needs: [Glob.Needs] = []
    }

    private var groups: [SessionScope?: Group] = [:]
    /// Bytes behind the stars of the patterns: by consumer, a pattern counts once.
    private var pieces = ShareCount(.patternPieces)
    /// Results by channel, until a pattern comes or goes.
    private var known: [ByteString: [Pattern]] = [:]
    private static let maxKnown = 1_024
    /// Patterns that were matched byte by byte, for tests.
    private(set) var comparisons = 0

    var isEmpty: Bool { groups.isEmpty }

    // MARK: Subscribing

    func add(_ reader: FeedReader, _ name: ByteString, _ limits: Limits) throws(CommandError) {
        let (scope, consumer) = (reader.encoder.scope, reader.encoder.consumer)
        let group = groups[scope] ?? Group()
        let known = group.byName[name]
        let pattern = known ?? Pattern(name)
        // A pattern already held through another subscription is not counted again, in all or for one consumer.
        let new = consumer.holders.filter { pattern.holders[$0] == nil }
        try check(pattern, isNew: known == nil, consumer, new, limits)
        for holder in new { charge(pattern.glob.weight, to: holder) }
        if known == nil { insert(pattern, into: group) }
        for holder in consumer.holders { pattern.holders[holder, default: 0] += 1 }
        pattern.audience[ObjectIdentifier(reader)] = reader
        groups[scope] = group
    }

    private func check(
        _ pattern: Pattern, isNew: Bool, _ consumer: Consumer, _ new: [ShareHolder], _ limits: Limits
    ) throws(CommandError) {
        let (weight, max) = (pattern.glob.weight, limits.patternPieces)
        let charged = Consumer(holders: new, usesReserve: consumer.usesReserve)
        guard isNew else { return try pieces.checkShare(charged, adding: weight, of: max, limits) }
        guard pieces.total + weight <= max else {
            throw .limit(
                \.patternPieces,
                "all patterns together have \(pieces.total) bytes after their stars, of at most \(max); use shorter ones")
        }
        try pieces.check(charged, adding: weight, of: max, limits)
    }

    /// A negative weight is released.
    private func charge(_ weight: Int, to holder: ShareHolder) {
        pieces.add(Consumer(holders: [holder], usesReserve: false), weight)
        pieces.remove(.privileged, weight)
    }

    private func insert(_ pattern: Pattern, into group: Group) {
        pieces.add(.privileged, pattern.glob.weight)
        pattern.index = group.patterns.count
        group.byName[pattern.name] = pattern
        group.patterns.append(pattern)
        group.needs.append(pattern.glob.needs)
        known = [:]
    }

    /// The consumer is charged as when it subscribed: scope and consumer change between the two only if all are removed.
    func remove(_ reader: FeedReader, _ name: ByteString) {
        let scope = reader.encoder.scope
        guard let group = groups[scope], let pattern = group.byName[name],
            pattern.audience.removeValue(forKey: ObjectIdentifier(reader)) != nil
        else { return }
        for holder in reader.encoder.consumer.holders {
            let left = (pattern.holders[holder] ?? 1) - 1
            pattern.holders[holder] = left > 0 ? left : nil
            if left <= 0 { charge(-pattern.glob.weight, to: holder) }
        }
        guard pattern.audience.isEmpty else { return }
        drop(pattern, from: group)
        if group.patterns.isEmpty { groups[scope] = nil }
    }

    private func drop(_ pattern: Pattern, from group: Group) {
        pieces.remove(.privileged, pattern.glob.weight)
        group.byName[pattern.name] = nil
        // The last one takes its place.
        let (last, need) = (group.patterns.removeLast(), group.needs.removeLast())
        if last !== pattern {
            last.index = pattern.index
            (group.patterns[pattern.index], group.needs[pattern.index]) = (last, need)
        }
        known = [:]
    }

    // MARK: Matching

    /// The patterns that match a channel of the session, of readers that may see it.
    func matching(_ channel: ByteString, of session: ByteString) -> [Pattern] {
        guard !groups.isEmpty else { return [] }
        if let known = known[channel] { return known }
        var found: [Pattern] = []
        for (scope, group) in groups where scope.map({ $0.admits(session) }) ?? true {
            collect(channel, group, &found)
        }
        if known.count >= Self.maxKnown { known = [:] }
        known[channel] = found
        return found
    }

    private func collect(_ channel: ByteString, _ group: Group, _ found: inout [Pattern]) {
        channel.withBytes { bytes in
            let has = Glob.Needs(of: bytes)
            group.needs.withUnsafeBufferPointer { needs in
                for index in needs.indices where needs[index].areMet(by: has) {
                    let pattern = group.patterns[index]
                    comparisons &+= 1
                    if pattern.glob.matches(bytes) { found.append(pattern) }
                }
            }
        }
    }
}
