import GameFlow

/// An entry that the ring has kept, in the lists of the session's kind, or one that is to be restored.
package struct PastEntry {
    package let entry: HistoryEntry
    /// Its number within its session's life.
    package let seq: UInt32
    /// Nil if it has happened once.
    package let repetition: Repetition?
    /// The definition of its flow under which it came about; nil for a flow that is part of the program.
    package let definition: String?

    package init(_ entry: HistoryEntry, seq: UInt32, _ repetition: Repetition?, under definition: String?) {
        (self.entry, self.seq, self.repetition, self.definition) = (entry, seq, repetition, definition)
    }

    /// The number of the last time that it happened.
    package var lastSeq: UInt32 { repetition?.lastSeq ?? seq }
}
