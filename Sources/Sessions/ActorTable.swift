// The names of actors, each with a number that its events carry.

import GameFlow
import Texts

/// A number keeps its name until the process ends, so there are at most 64,004 names. Clients can create any number of sessions and addresses:
/// these two kinds have limits of their own, so that users, tokens and devices always get a number.
package final class ActorTable {
    /// The kinds of actors, each with its own limit.
    package enum Kind: Int, CaseIterable {
        /// A user, a token, a device, or a way into the daemon, such as `--session`.
        case known
        /// A guest, known by its network address.
        case address
        /// A session, or any name of a stored history.
        case session

        fileprivate var maxCount: Int { self == .session ? 32_000 : 16_000 }

        /// The name of all actors beyond the limit.
        fileprivate var other: String {
            switch self {
            case .known: "another client"
            case .address: "another address"
            case .session: "another session"
            }
        }
    }

    /// In bytes; longer names are cut.
    private static let maxNameLength = 255

    private var names = ["the daemon"] + Kind.allCases.map(\.other)
    private var numbers: [String: UInt16]
    private(set) var counts = Kind.allCases.map { _ in 0 }

    package init() {
        numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, UInt16($0)) })
    }

    /// Returns the number of the actor, and adds it if it is new.
    package func number(of name: String, _ kind: Kind = .known) -> ActorNumber {
        if let number = numbers[name] { return ActorNumber(rawValue: number) }
        let name = name.cut(to: Self.maxNameLength)
        if let number = numbers[name] { return ActorNumber(rawValue: number) }
        guard counts[kind.rawValue] < kind.maxCount, let number = UInt16(exactly: names.count) else {
            return ActorNumber(rawValue: UInt16(1 + kind.rawValue))
        }
        counts[kind.rawValue] += 1
        names.append(name)
        numbers[name] = number
        return ActorNumber(rawValue: number)
    }

    /// Returns the actor's name, or nil for `ActorNumber.none`.
    package func name(_ actor: ActorNumber) -> String? {
        let index = Int(actor.rawValue)
        return index < names.count ? names[index] : nil
    }
}
