// The history as the tables have it: blocks of entries, which the view `history` shows one by one, in columns. One row for many entries
// is several times faster than a row for each.

/// Neighbouring entries of the history, as one row. Its texts are borrowed, like those of a `SessionRow`.
package struct HistoryBlock {
    /// The serial numbers of its first and of its last entry. They ascend within it.
    package var first: Int64
    package var last: Int64
    package var count: Int64
    /// A JSON array of texts, to which entries refer by their places in it.
    package var names: Text
    /// A JSON array with an array for each entry: the values of `HistoryColumn`, in order. Missing values at the end are null.
    package var entries: Text
    /// Of the entries that have happened several times, as `load` yields them. Ascending.
    package var repeats: [RepeatRow] = []

    package init(first: Int64, last: Int64, count: Int64, names: Text, entries: Text) {
        (self.first, self.last, self.count, self.names, self.entries) = (first, last, count, names, entries)
    }
}

/// The columns of the view `history`, in the order in which an entry has their values.
package enum HistoryColumn: String, CaseIterable {
    /// Counts over all sessions, and is never used again.
    case serial
    /// The session's name and its life, which distinguishes it from others of that name.
    case name, life
    /// The entry's number within its session's life, and the session's version.
    case seq, version
    /// Milliseconds since 1970.
    case at
    /// The entry's kind: `HistoryEntry.Kind`.
    case what
    case flow, source
    case from = "from_state"
    case to = "to_state"
    /// The actor is the event's sender, or the operator. An entry ends with its last value that is not null.
    case event, actor, timer, payload
    /// The definition of the flow; null for a flow that is part of the program.
    case definition
    /// If the event was refused: the error's code, and what its sentence is made from, as a JSON object.
    case code, facts

    /// In an entry's array.
    package var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package enum Content {
        case number, time, text
        /// The place of the text in the block's names.
        case name
    }

    package var content: Content {
        switch self {
        case .serial, .life, .seq, .version: .number
        case .at: .time
        case .name, .payload, .facts: .text
        case .what, .flow, .source, .from, .to, .event, .timer, .definition, .actor, .code: .name
        }
    }
}

/// How often an entry of the history has happened, and the last time: a row of `history_repeats`, which the view `history` shows in the
/// entry's line. So a timer that ticks for a week is one entry and one row.
package struct RepeatRow: Hashable, Sendable {
    /// The entry's.
    package var serial: Int64
    /// 2 or more.
    package var times: Int64
    /// Milliseconds since 1970.
    package var lastAt: Int64
    package var lastSeq: Int64
    package var lastVersion: Int64

    package init(serial: Int64, times: Int64, lastAt: Int64, lastSeq: Int64, lastVersion: Int64) {
        (self.serial, self.times, self.lastAt) = (serial, times, lastAt)
        (self.lastSeq, self.lastVersion) = (lastSeq, lastVersion)
    }
}
