// Turns images into rows: numbers become names, and timers become JSON, for people and for the next start.

import GameFlow
import Store

/// Holds the text of one row at a time, in memory that is used again for the next. Used by one thread alone.
final class RowText {
    private static let noData: StaticString = "{}"
    private static let unknown: StaticString = ""

    private let text = BatchBytes()

    func write(_ image: ImageEntry, _ batch: NamedBatch, to writer: any TableWriter) throws(StoreError) {
        try image.head.name.withText { name throws(StoreError) in try write(image, name, batch, to: writer) }
    }

    private func write(_ image: ImageEntry, _ name: Text, _ batch: NamedBatch, to writer: any TableWriter) throws(StoreError) {
        text.removeAll()
        appendTimers(image.timers, batch)
        let middle = text.count
        text.reserve(batch.boot.count)
        text.write(batch.boot)
        text.append(":")
        text.append(digitsOf: image.saved.bootNanoseconds)
        let (head, timers, extra) = (image.head, text.bytes[..<middle], text.bytes[middle...])
        try writer.session(
            SessionRow(
                id: Int64(head.session), name: name, flow: Self.text(head.flow, batch),
                state: Self.text(head.state, batch), data: image.data.isEmpty ? Self.bytes(Self.noData) : image.data,
                timers: UnsafeRawBufferPointer(rebasing: timers), version: Int64(head.version),
                since: Self.milliseconds(image.sinceWallNanoseconds), saved: image.saved.wallNanoseconds,
                paused: image.isFrozen, extra: UnsafeRawBufferPointer(rebasing: extra), life: Int64(head.life),
                waiting: image.waiting.isEmpty ? nil : image.waiting, context: image.context.isEmpty ? nil : image.context,
                seq: Int64(head.seq)))
    }

    private func appendTimers(_ timers: TimerEntries, _ batch: NamedBatch) {
        text.append("[")
        var isFirst = true
        for timer in timers {
            text.append(isFirst ? "{\"name\":" : ",{\"name\":")
            isFirst = false
            text.append(quoted: Self.text(timer.name, batch))
            text.append(timer.isPendulum ? ",\"kind\":\"pendulum\"" : ",\"kind\":\"countdown\"")
            text.append(",\"remaining_ns\":")
            if let left = timer.left { text.append(digitsOf: left) } else { text.append("null") }
            text.append(timer.isPaused ? ",\"paused\":true" : ",\"paused\":false")
            if timer.milestonesDue > 0 {
                text.append(",\"milestones_due\":")
                text.append(digitsOf: Int64(timer.milestonesDue))
            }
            text.append("}")
        }
        text.append("]")
    }

    /// Rounded up.
    private static func milliseconds(_ nanoseconds: Int64) -> Int64 {
        nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 > 0 ? 1 : 0)
    }

    private static func text(_ number: UInt16, _ batch: NamedBatch) -> UnsafeRawBufferPointer {
        batch.names[number] ?? bytes(unknown)
    }

    private static func bytes(_ text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
