// Reads the column `timers`: in one pass over its bytes if it is as it was written, or as JSON if it has been edited.

import GameFlow
import Glibc

enum TimersText {
    /// Appends the text's timers.
    static func read(_ text: UnsafeRawBufferPointer, into timers: inout [TimerImage]) throws(JSONError) {
        let first = timers.count
        var cursor = ByteCursor(text)
        if readCanonical(&cursor, into: &timers) { return }
        timers.removeSubrange(first...)
        guard case .array(let listed) = try JSON(parsing: text.string) else { return }
        timers += listed.compactMap { timer in
            guard let name = timer["name"]?.text else { return nil }
            return TimerImage(
                name: name, kind: timer["kind"]?.text == "pendulum" ? .pendulum : .countdown,
                left: timer["remaining_ns"]?.integer.map { .nanoseconds($0) }, isPaused: timer["paused"]?.boolean ?? false,
                milestonesDue: timer["milestones_due"]?.integer ?? 0)
        }
    }

    /// False if the text has another form than `RowText` writes.
    private static func readCanonical(_ cursor: inout ByteCursor, into timers: inout [TimerImage]) -> Bool {
        guard cursor.consume("[") else { return false }
        var isFirst = true
        while !cursor.consume("]") {
            guard isFirst || cursor.consume(","), let timer = timer(&cursor) else { return false }
            timers.append(timer)
            isFirst = false
        }
        return cursor.isAtEnd
    }

    private static func timer(_ cursor: inout ByteCursor) -> TimerImage? {
        guard cursor.consume("{\"name\":\""), let name = cursor.plainText(), cursor.consume("\",\"kind\":\"") else {
            return nil
        }
        let isPendulum = cursor.consume("pendulum")
        guard isPendulum || cursor.consume("countdown"), cursor.consume("\",\"remaining_ns\":") else { return nil }
        let hasFired = cursor.consume("null")
        let left = hasFired ? nil : cursor.number()
        guard hasFired || left != nil, cursor.consume(",\"paused\":") else { return nil }
        let isPaused = cursor.consume("true")
        guard isPaused || cursor.consume("false"), cursor.consume("}") else { return nil }
        return TimerImage(
            name: name, kind: isPendulum ? .pendulum : .countdown, left: left.map { .nanoseconds($0) }, isPaused: isPaused)
    }
}
