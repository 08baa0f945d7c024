// Entries as rows: numbers become names, and timers become the JSON that people read and a restart reads again.

import GameFlow
import JournalStore

/// Holds the text of the row that is being written. Used by one thread alone.
final class RowText {
    private static let noTimers: StaticString = "[]"
    private static let noData: StaticString = "{}"
    private static let unknown: StaticString = ""

    func write(_ image: ImageEntry, _ batch: NamedBatch, to writer: TableWriter) throws(StoreError) {
        let timers = Self.json(of: image.timers, batch)
        let kept = KeptTime(bootID: TurnClock.bootID, time: image.saved).text
        try withText(timers) { timers throws(StoreError) in
            try withText(kept) { kept throws(StoreError) in
                try writer.session(
                    SessionRow(
                        id: Int64(image.session), name: image.name, flow: Self.text(image.flow, batch),
                        state: Self.text(image.state, batch), data: image.data.isEmpty ? Self.bytes(Self.noData) : image.data,
                        timers: timers, version: Int64(image.version), since: image.sinceWallNanoseconds / 1_000_000,
                        saved: image.saved.wallNanoseconds, paused: image.isFrozen, extra: kept))
            }
        }
    }

    func write(
        _ line: LineEntry, of name: UnsafeRawBufferPointer, _ batch: NamedBatch, to writer: TableWriter
    ) throws(StoreError) {
        let source = EventSource(rawValue: line.source) ?? .network
        try withText(source.name) { source throws(StoreError) in
            try writer.history(
                HistoryRow(
                    serial: Int64(line.serial), session: Int64(line.session), name: name,
                    at: line.wallNanoseconds / 1_000_000, source: source, event: line.refused?.event ?? batch.name(line.event),
                    timer: batch.name(line.timer), from: Self.text(line.from, batch), to: Self.text(line.to, batch),
                    version: Int64(line.version), code: line.refused?.code, refused: line.refused?.sentence))
        }
    }

    private static func json(of timers: [TimerEntry], _ batch: NamedBatch) -> String {
        if timers.isEmpty { return noTimers.description }
        return JSON.array(
            timers.map { timer in
                .object([
                    .init("name", .string(text(timer.name, batch).string)),
                    .init("kind", .string(timer.isPendulum ? "pendulum" : "countdown")),
                    .init("remaining_ns", timer.left.map { .integer(Int($0)) } ?? .null),
                    .init("paused", .bool(timer.isPaused)),
                ])
            }
        ).description
    }

    private static func text(_ number: UInt16, _ batch: NamedBatch) -> UnsafeRawBufferPointer {
        batch.name(number) ?? bytes(unknown)
    }

    private static func bytes(_ text: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }
}
