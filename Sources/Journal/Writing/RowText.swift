// Turns entries into rows: numbers become names, and timers become JSON, for people and for the next start.

import GameFlow
import Store

/// Holds the text of one row at a time, in memory that is used again for the next. Used by one thread alone.
final class RowText {
    private static let noData: StaticString = "{}"
    private static let unknown: StaticString = ""
    private static let sources = EventSource.allCases.map { Array($0.name.utf8) }
    private static let words = Happening.allCases.map { Array($0.name.utf8) }

    private var scratch: [UInt8] = []

    func write(_ image: ImageEntry, _ batch: NamedBatch, to writer: any TableWriter) throws(StoreError) {
        scratch.removeAll(keepingCapacity: true)
        putTimers(image.timers, batch)
        let middle = scratch.count
        scratch += batch.boot
        put(":")
        put(image.saved.bootNanoseconds)
        try withScratch { text throws(StoreError) in
            try writer.session(
                SessionRow(
                    id: Int64(image.session), name: image.name, flow: Self.text(image.flow, batch),
                    state: Self.text(image.state, batch), data: image.data.isEmpty ? Self.bytes(Self.noData) : image.data,
                    timers: UnsafeRawBufferPointer(rebasing: text[..<middle]), version: Int64(image.version),
                    since: (image.sinceWallNanoseconds + 999_999) / 1_000_000, saved: image.saved.wallNanoseconds,
                    paused: image.isFrozen,
                    extra: UnsafeRawBufferPointer(rebasing: text[middle...]), life: Int64(image.life),
                    waiting: image.waiting.isEmpty ? nil : image.waiting,
                    context: image.context.isEmpty ? nil : image.context, seq: Int64(image.seq)))
        }
    }

    func write(
        _ line: LineEntry, of name: UnsafeRawBufferPointer, _ batch: NamedBatch, to writer: any TableWriter
    ) throws(StoreError) {
        scratch.removeAll(keepingCapacity: true)
        scratch += Int(line.source) < Self.sources.count ? Self.sources[Int(line.source)] : []
        let middle = scratch.count
        scratch += Self.words[Int(line.what.rawValue)]
        try withScratch { text throws(StoreError) in
            try writer.history(
                HistoryRow(
                    serial: Int64(line.serial), session: Int64(line.session), name: name,
                    at: line.wallNanoseconds / 1_000_000, source: UnsafeRawBufferPointer(rebasing: text[..<middle]),
                    event: line.refused?.event ?? batch.name(line.event),
                    timer: batch.name(line.timer), from: Self.text(line.from, batch), to: Self.text(line.to, batch),
                    version: Int64(line.version),
                    code: line.refused?.code,
                    refused: line.refused?.sentence,
                    payload: line.payload, life: Int64(line.life),
                    what: UnsafeRawBufferPointer(rebasing: text[middle...]),
                    seq: Int64(line.seq), who: line.who, flow: Self.text(line.flow, batch),
                    definition: batch.name(line.definition)))
        }
    }

    // MARK: JSON

    private func putTimers(_ timers: TimerEntries, _ batch: NamedBatch) {
        put("[")
        for (number, timer) in timers.enumerated() {
            put(number == 0 ? "{\"name\":" : ",{\"name\":")
            scratch += JSON.string(Self.text(timer.name, batch).string).description.utf8
            put(timer.isPendulum ? ",\"kind\":\"pendulum\"" : ",\"kind\":\"countdown\"")
            put(",\"remaining_ns\":")
            if let left = timer.left { put(left) } else { put("null") }
            put(timer.isPaused ? ",\"paused\":true" : ",\"paused\":false")
            if timer.milestonesDue > 0 {
                put(",\"milestones_due\":")
                put(Int64(timer.milestonesDue))
            }
            put("}")
        }
        put("]")
    }

    private func put(_ text: StaticString) {
        scratch += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    private func put(_ number: Int64) {
        scratch += number.description.utf8
    }

    // MARK: Bytes

    private func withScratch(_ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void) throws(StoreError) {
        try scratch.withUnsafeBufferPointer { bytes throws(StoreError) in try body(UnsafeRawBufferPointer(bytes)) }
    }

    private static func text(_ number: UInt16, _ batch: NamedBatch) -> UnsafeRawBufferPointer {
        batch.name(number) ?? bytes(unknown)
    }

    private static func bytes(_ text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
