// What a command is: its name, what it takes, what it is for, and what it does. One list serves the dispatcher, COMMAND DOCS,
// `gamectl help` and the manual.

import RESP
import Sessions

package final class Command: Sendable {
    /// What belongs together in a manual.
    package enum Group: String, Sendable, CaseIterable {
        case sessions = "Sessions"
        case time = "Time"
        case flows = "Flows"
        case bluetooth = "Bluetooth devices"
        case subscriptions = "Subscriptions"
        case service = "The daemon"
        case connection = "The connection"

        /// What has nothing to say while sessions are still being restored.
        var isAboutSessions: Bool { self == .sessions || self == .time || self == .bluetooth }
    }

    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A RESP2 connection that is subscribed may still send it.
        static let whileSubscribed = Flags(rawValue: 1)
        /// Somebody who has not said who they are may send it.
        static let beforeAuthentication = Flags(rawValue: 2)
        /// It changes sessions.
        package static let changes = Flags(rawValue: 4)
        /// It, or a form of it, changes the daemon itself: that needs a trusted client.
        static let administers = Flags(rawValue: 8)
    }

    /// A form of a command that changes the daemon itself, and not only its sessions.
    package struct Administration: Sendable {
        /// The word behind the command's name; nil where any word makes it that form.
        let word: StaticString?
        /// What it does, to be read before "over the UNIX socket".
        let deed: String
    }

    package typealias Action = @Sendable (Call) throws(CommandError) -> Void

    package let word: StaticString
    package let name: String
    package let group: Group
    /// As people read it: `SEND session event [payload]`.
    package let syntax: String
    /// What it does, in a sentence or two.
    package let summary: String
    /// What else is good to know; empty if that is all.
    package let details: String
    package let examples: [String]
    /// How many words it takes, the name included.
    package let words: ClosedRange<Int>
    package let flags: Flags
    private let administrations: [Administration]
    /// Where the one word stands that may be long: an event's payload, or what is only sent back.
    let longWord: Int?
    /// Stands for it where there is no room for its name.
    package let number: UInt16
    let run: Action

    init(
        name: StaticString, group: Group, syntax: String, summary: String, details: String = "", examples: [String],
        words: ClosedRange<Int>, flags: Flags = [], administers: [Administration] = [], longWord: Int? = nil,
        _ run: @escaping Action
    ) {
        word = name
        self.name = name.description
        self.group = group
        self.syntax = syntax
        self.summary = summary
        self.details = details
        self.examples = examples
        self.words = words
        self.flags = administers.isEmpty ? flags : flags.union(.administers)
        administrations = administers
        self.longWord = longWord
        number = UInt16(truncatingIfNeeded: Argument.foldedHash(of: self.name))
        self.run = run
    }

    static let anyNumber = 1_000_000
    /// Any other word is no longer than this, in bytes: names, patterns, numbers.
    package static let longestWord = 16 << 10

    /// The form that these words are of, if it is one that changes the daemon itself.
    func administration(_ words: Words) -> Administration? {
        guard words.count > 1 else { return nil }
        return administrations.first { $0.word.map(words[1].isWord) ?? true }
    }

    /// How Redis counts words: exactly n, or at least n with a minus.
    var arity: Int { words.lowerBound == words.upperBound ? words.lowerBound : -words.lowerBound }
}
