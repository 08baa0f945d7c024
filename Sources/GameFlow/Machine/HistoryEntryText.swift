// A history entry in words, as HISTORY, the page and the sandbox show it, and as a replay reads it back.
package struct HistoryEntryText: Equatable, Sendable {
    /// How often it has happened, and the last time.
    package struct Repeats: Equatable, Sendable {
        package var times: Int
        /// Nanoseconds since 1970.
        package var lastAt: Int64
        package var lastSeq: Int
        package var lastVersion: Int

        package init(times: Int, lastAt: Int64, lastSeq: Int, lastVersion: Int) {
            (self.times, self.lastAt, self.lastSeq, self.lastVersion) = (times, lastAt, lastSeq, lastVersion)
        }
    }

    /// Its number within its session's life.
    package var seq: Int
    /// The session's version after it.
    package var version: Int
    /// Nanoseconds since 1970.
    package var at: Int64
    package var kind: HistoryEntry.Kind
    package var source: EventSource
    /// The event's name, or an operator's command that is not its kind's own; nil if there is none.
    package var event: String?
    /// JSON, unless it was cut or was never valid.
    package var payload: String?
    package var timer: String?
    package var from: String
    package var to: String
    /// The error's code and sentence, if it was refused.
    package var code: ErrorCode?
    package var refused: String?
    /// The events that were accepted in place of a refused one, if they are known.
    package var accepted: [String]?
    /// The sender of the event, or the operator; nil for a timer.
    package var actor: String?
    /// The definition of the flow under which it came about; nil for a flow that is part of the program.
    package var definition: String?
    /// Nil if it has happened once.
    package var repeats: Repeats?

    package init(
        seq: Int, version: Int, at: Int64, kind: HistoryEntry.Kind, source: EventSource, event: String?, payload: String?,
        timer: String?, from: String, to: String, code: ErrorCode?, refused: String?, accepted: [String]?, actor: String?,
        definition: String?, repeats: Repeats?
    ) {
        (self.seq, self.version, self.at, self.kind, self.source) = (seq, version, at, kind, source)
        (self.event, self.payload, self.timer, self.from, self.to) = (event, payload, timer, from, to)
        (self.code, self.refused, self.accepted, self.actor) = (code, refused, accepted, actor)
        (self.definition, self.repeats) = (definition, repeats)
    }

    /// The event, or an operator's command.
    package var eventOrCommand: String { event ?? kind.deed ?? "" }

    /// The number of the last time that it happened, and the version after it.
    package var lastSeq: Int { repeats?.lastSeq ?? seq }
    package var lastVersion: Int { repeats?.lastVersion ?? version }
}
