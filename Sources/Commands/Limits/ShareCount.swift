// How much of a shared bound is used, and by which token, address or user.

import Posix
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
                "\(holder) uses \(used(by: holder)) \(bound.unit), and its share is \(share) of \(max); close some first")
        }
    }

    package mutating func add(_ consumer: Consumer, _ amount: Int = 1) {
        total += amount
        for holder in consumer.holders {
            let sum = used(by: holder) + amount
            used[holder] = sum > 0 ? sum : nil
        }
    }

    package mutating func remove(_ consumer: Consumer, _ amount: Int = 1) { add(consumer, -amount) }
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

// MARK: - A client as shared bounds count it: by its token, its address, or its user on this machine.

/// A token, a network address or a user of this machine, each with a separate share.
package enum ShareHolder: Hashable, Sendable, CustomStringConvertible {
    case token(String)
    case network([UInt8])
    case user(String)

    /// The address; of IPv6 the half that a network has.
    package init(machine: String) { self = .network(TcpAddress.network(of: machine)) }

    package var description: String {
        switch self {
        case .token(let id): "the token '\(id)'"
        case .network: "this address"
        case .user(let name): "the user '\(name)'"
        }
    }
}

package struct Consumer: Sendable {
    /// The holders of the shares it uses; none for an administrator.
    package let holders: [ShareHolder]
    /// Whether it may use the reserve.
    package let usesReserve: Bool

    /// An administrator, or a health check.
    package static let privileged = Consumer(holders: [], usesReserve: true)

    /// A client that is no longer known.
    package static let nobody = Consumer(holders: [], usesReserve: false)

    package init(holders: [ShareHolder], usesReserve: Bool) { (self.holders, self.usesReserve) = (holders, usesReserve) }

    /// A client over the network.
    package init(_ grant: Grant, _ token: Token?, machine: String?) {
        guard grant.role != .master else {
            self = .privileged
            return
        }
        let holders = [token.map { ShareHolder.token($0.id) }, machine.map { ShareHolder(machine: $0) }].compactMap { $0 }
        self.init(holders: holders, usesReserve: false)
    }

    /// A client on the UNIX socket.
    package init(_ grant: Grant, user: String) {
        self = grant.role == .master ? .privileged : Consumer(holders: [.user(user)], usesReserve: true)
    }
}
