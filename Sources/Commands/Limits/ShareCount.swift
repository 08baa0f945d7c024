// How much of a shared bound is used, and by which token, address or user.

import RESP

package struct ShareCount {
    package let bound: SharedBound
    private var used: [ShareHolder: Int] = [:]
    /// By all clients together.
    package private(set) var total = 0

    package init(_ bound: SharedBound) { self.bound = bound }

    package func used(by holder: ShareHolder) -> Int { used[holder] ?? 0 }

    /// Throws if the consumer has its share of `max`, or if nothing or only the reserve is left.
    package func check(_ consumer: Consumer, adding amount: Int = 1, of max: Int, _ limits: Limits) throws(CommandError) {
        try checkShare(consumer, adding: amount, of: max, limits)
        let most = consumer.usesReserve ? max : max - limits.reserve(of: max)
        guard total + amount > most else { return }
        throw .limit(
            \.reservePercent,
            "\(total) of \(max) \(bound.unit) are in use"
                + (most < max ? ", and the rest is reserved for the UNIX socket and administrators" : "") + "; try again later")
    }

    /// The same where others have it already, so that it costs the bound nothing.
    package func checkShare(_ consumer: Consumer, adding amount: Int, of max: Int, _ limits: Limits) throws(CommandError) {
        let share = limits.share(of: max)
        for holder in consumer.holders where used(by: holder) + amount > share {
            throw .limit(
                \.sharePercent,
                "\(holder) has \(used(by: holder)) \(bound.unit) and may have \(share) of \(max), its share; close some first")
        }
    }

    package mutating func add(_ consumer: Consumer, _ amount: Int = 1) {
        total += amount
        for holder in consumer.holders { used[holder, default: 0] += amount }
    }

    package mutating func remove(_ consumer: Consumer, _ amount: Int = 1) {
        total -= amount
        for holder in consumer.holders {
            let rest = used(by: holder) - amount
            used[holder] = rest > 0 ? rest : nil
        }
    }
}

/// The entries that make room in a full bound, one after the other: first those of consumers above their share, then those of others, and
/// those of consumers with a reserve last.
package struct Displacement {
    private let entries: [(consumer: Consumer, amount: Int)]
    private var count: ShareCount
    private let share: Int
    private var isTaken: [Bool]
    private var pass = 0
    private var next = 0

    /// The entries stand in the order in which they are displaced.
    package init(_ entries: [(consumer: Consumer, amount: Int)], of bound: SharedBound, _ max: Int, _ limits: Limits) {
        self.entries = entries
        count = ShareCount(bound)
        share = limits.share(of: max)
        isTaken = Array(repeating: false, count: entries.count)
        for entry in entries { count.add(entry.consumer, entry.amount) }
    }

    /// The index of the next entry; nil once all are displaced. Usage only shrinks, so no entry is met twice in a pass.
    package mutating func pop() -> Int? {
        while pass < 3 {
            while next < entries.count {
                defer { next += 1 }
                guard !isTaken[next], isDue(entries[next].consumer) else { continue }
                isTaken[next] = true
                count.remove(entries[next].consumer, entries[next].amount)
                return next
            }
            (pass, next) = (pass + 1, 0)
        }
        return nil
    }

    private func isDue(_ consumer: Consumer) -> Bool {
        switch pass {
        case 0: consumer.holders.contains { count.used(by: $0) > share }
        case 1: !consumer.usesReserve
        default: true
        }
    }
}
