// The rows of the table of sessions. Text is borrowed: its bytes live as long as the call that they are passed to.

package typealias Text = UnsafeRawBufferPointer

extension UnsafeRawBufferPointer {
    package var string: String { String(decoding: self, as: UTF8.self) }

    /// Whether every store can have it: it is UTF-8 without NUL. Nearly always it is ASCII, which is seen soonest.
    package var isStorable: Bool {
        allSatisfy { $0 != 0 && $0 < 0x80 } || !contains(0) && String(validating: self, as: UTF8.self) != nil
    }
}

extension String {
    /// As every store can have it: U+FFFD replaces NUL.
    package var storable: String {
        utf8.contains(0) ? String(String.UnicodeScalarView(unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 })) : self
    }
}

extension Int64 {
    /// The times that every store can have: milliseconds since 1970, from the year 1 to 9999.
    package static let calendar: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    package var withinCalendar: Int64 { Swift.min(Swift.max(self, Self.calendar.lowerBound), Self.calendar.upperBound) }
}

/// Lends a string's bytes.
package func withText<Result, Failure: Error>(
    _ string: String, _ body: (Text) throws(Failure) -> Result
) throws(Failure) -> Result {
    try string.utf8Span.span.withUnsafeBytes(body)
}

/// A session's image at one moment.
package struct SessionRow {
    /// The row number: 0 or more, and stable while the session lives; below zero for a session that was set aside. A store that finds
    /// rows by name loads them as `unnumbered`.
    package var id: Int64
    package var name: Text
    package var flow: Text
    package var state: Text
    /// JSON.
    package var data: Text
    /// A JSON array.
    package var timers: Text
    package var version: Int64
    /// When it entered its state: milliseconds since 1970.
    package var since: Int64
    /// When this image was taken: nanoseconds since 1970.
    package var saved: Int64
    package var paused: Bool
    /// Values without a column: the journal keeps the boot clock's time of `saved` here.
    package var extra: Text?
    /// Why it could not be restored; nil for a live session.
    package var problem: Text?
    /// Distinguishes it from other sessions of the same name.
    package var life: Int64
    /// Its waiting events, a JSON array; nil if there are none.
    package var waiting: Text?
    /// The parameters that it began with, a JSON object; nil where its flow has none.
    package var context: Text?
    /// The number of its latest history entry.
    package var seq: Int64
    /// Whether it is quarantined: only RETRY restores it.
    package var quarantined: Bool
    /// Whether the row can be trusted; set by `load`.
    package var seal = RowSeal.intact

    package static let unnumbered = Int64.min

    package init(
        id: Int64, name: Text, flow: Text, state: Text, data: Text, timers: Text, version: Int64, since: Int64,
        saved: Int64, paused: Bool, extra: Text? = nil, problem: Text? = nil, life: Int64, waiting: Text? = nil,
        context: Text? = nil, quarantined: Bool = false, seq: Int64
    ) {
        self.id = id
        self.name = name
        self.flow = flow
        self.state = state
        self.data = data
        self.timers = timers
        self.version = version
        self.since = since
        self.saved = saved
        self.paused = paused
        self.extra = extra
        self.problem = problem
        self.life = life
        self.waiting = waiting
        self.context = context
        self.quarantined = quarantined
        self.seq = seq
    }

    /// How many bytes its texts have.
    package var textSize: Int {
        name.count + flow.count + state.count + data.count + timers.count + (extra?.count ?? 0) + (problem?.count ?? 0)
            + (waiting?.count ?? 0) + (context?.count ?? 0)
    }

    /// Replaces each text, in an order that is always the same.
    package mutating func replaceTexts(_ body: (Text) -> Text) {
        (name, flow, state, data, timers) = (body(name), body(flow), body(state), body(data), body(timers))
        (extra, problem) = (extra.map(body), problem.map(body))
        (waiting, context) = (waiting.map(body), context.map(body))
    }
}

/// Whether a row can be trusted.
package enum RowSeal: Sendable {
    case intact
    /// It has no checksum: it was edited by hand.
    case none
    /// It differs from the row that was written.
    case broken

    /// An operator who edits a row sets its checksum to NULL.
    package init(_ stored: Int64?, _ sum: @autoclosure () -> Int64) {
        self = stored == nil ? .none : stored == sum() ? .intact : .broken
    }
}
