// Commands by name, case-insensitive.

import RESP

package final class CommandTable: Sendable {
    /// Sorted by name.
    package let commands: [Command]
    /// A hash table with linear probing.
    private let slots: [Command?]

    init(_ commands: [Command]) {
        self.commands = commands.sorted { $0.name < $1.name }
        var slots = [Command?](repeating: nil, count: 256)
        for command in commands {
            var slot = Self.slot(Argument.foldedHash(of: command.name))
            while slots[slot] != nil { slot = (slot + 1) % slots.count }
            slots[slot] = command
        }
        self.slots = slots
    }

    private static func slot(_ hash: UInt64) -> Int { Int(hash & 255) }

    package func find(_ word: Argument) -> Command? {
        var slot = Self.slot(word.foldedHash)
        while let command = slots[slot] {
            if word.isWord(command.word) { return command }
            slot = (slot + 1) % slots.count
        }
        return nil
    }

    package subscript(name: String) -> Command? {
        name.utf8Span.span.withUnsafeBytes { find(Argument($0)) }
    }
}
