// The column `timers`, read back: mostly as it was written, and then in one pass over its bytes; as JSON if somebody has edited it.

import GameFlow
import Glibc

enum TimersText {
    /// Appends what the text says.
    static func read(_ text: UnsafeRawBufferPointer, into timers: inout [TimerImage]) throws(JSONError) {
        let first = timers.count
        var cursor = ByteCursor(text)
        if areAsWritten(&cursor, into: &timers) { return }
        timers.removeSubrange(first...)
        guard case .array(let listed) = try JSON(parsing: text.string) else { return }
        timers += listed.compactMap { timer in
            guard let name = timer["name"]?.text else { return nil }
            return TimerImage(
                name: name, kind: timer["kind"]?.text == "pendulum" ? .pendulum : .countdown,
                left: timer["remaining_ns"]?.integer.map { .nanoseconds($0) }, isPaused: timer["paused"]?.boolean ?? false)
        }
    }

    /// False if it is anything else than what `RowText` writes.
    private static func areAsWritten(_ cursor: inout ByteCursor, into timers: inout [TimerImage]) -> Bool {
        guard cursor.skip("[") else { return false }
        var isFirst = true
        while !cursor.skip("]") {
            guard isFirst || cursor.skip(","), let timer = timer(&cursor) else { return false }
            timers.append(timer)
            isFirst = false
        }
        return cursor.isAtEnd
    }

    private static func timer(_ cursor: inout ByteCursor) -> TimerImage? {
        guard cursor.skip("{\"name\":\""), let name = cursor.plainText(), cursor.skip("\",\"kind\":\"") else { return nil }
        let isPendulum = cursor.skip("pendulum")
        guard isPendulum || cursor.skip("countdown"), cursor.skip("\",\"remaining_ns\":") else { return nil }
        let hasFired = cursor.skip("null")
        let left = hasFired ? nil : cursor.number()
        guard hasFired || left != nil, cursor.skip(",\"paused\":") else { return nil }
        let isPaused = cursor.skip("true")
        guard isPaused || cursor.skip("false"), cursor.skip("}") else { return nil }
        return TimerImage(
            name: name, kind: isPendulum ? .pendulum : .countdown, left: left.map { .nanoseconds($0) }, isPaused: isPaused)
    }
}

/// Goes over bytes that mostly are as they are expected.
struct ByteCursor {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { offset == bytes.count }

    /// Passes the text if it comes next.
    mutating func skip(_ text: StaticString) -> Bool {
        guard bytes.count - offset >= text.utf8CodeUnitCount else { return false }
        guard let start = bytes.baseAddress, memcmp(start + offset, text.utf8Start, text.utf8CodeUnitCount) == 0 else {
            return false
        }
        offset += text.utf8CodeUnitCount
        return true
    }

    /// Text up to a quote; nil if something in it is escaped.
    mutating func plainText() -> String? {
        let start = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            if bytes[offset] == UInt8(ascii: "\\") { return nil }
            offset += 1
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    mutating func number() -> Int64? {
        let isNegative = skip("-")
        let start = offset
        var value: Int64 = 0
        while offset < bytes.count, case let digit = bytes[offset] &- UInt8(ascii: "0"), digit < 10 {
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) = product.addingReportingOverflow(Int64(digit))
            if tooLarge || overflow { return nil }
            value = sum
            offset += 1
        }
        return offset > start ? (isNegative ? -value : value) : nil
    }
}
