// The names of actors, each with a number that its events carry.

import GameFlow
import Texts

/// Numbers stay for the life of the process, and so there are at most 65,534 names. Sessions and addresses, of which clients can make any number, share
/// a part of them each: what they use up takes nothing from users, tokens and devices.
package final class ActorTable {
    /// What an actor is, where its name alone does not tell.
    package enum Kind: Int, CaseIterable {
        /// A user, a token, a device, or a way into the daemon, such as `--session`.
        case known
        /// A client without a name of its own.
        case address
        /// A session, or any name of a stored history.
        case session

        fileprivate var most: Int { self == .session ? 32_000 : 16_000 }

        /// In place of one for which there is no room.
        fileprivate var other: String {
            switch self {
            case .known: "another client"
            case .address: "another address"
            case .session: "another session"
            }
        }
    }

    /// Longer ones are shortened.
    private static let longestName = 255

    private var names = ["the daemon"] + Kind.allCases.map(\.other)
    private var numbers: [String: UInt16]
    private var counts = Kind.allCases.map { _ in 0 }

    package init() {
        numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, UInt16($0)) })
    }

    /// The number of an actor of this name.
    package func number(of name: String, _ kind: Kind = .known) -> ActorNumber {
        if let number = numbers[name] { return ActorNumber(rawValue: number) }
        let name = name.cut(to: Self.longestName)
        if let number = numbers[name] { return ActorNumber(rawValue: number) }
        guard counts[kind.rawValue] < kind.most, let number = UInt16(exactly: names.count) else {
            return ActorNumber(rawValue: UInt16(1 + kind.rawValue))
        }
        counts[kind.rawValue] += 1
        names.append(name)
        numbers[name] = number
        return ActorNumber(rawValue: number)
    }

    /// Nil if there is no actor.
    package func name(_ actor: ActorNumber) -> String? {
        let place = Int(actor.rawValue)
        return place < names.count ? names[place] : nil
    }
}
