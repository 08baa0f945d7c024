// The contents of records under either datalink, and capture times.

import Bluetooth
import Testing

@Suite struct `Contents of a capture record` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let flags: UInt32
        let bytes: [UInt8]
        let content: CaptureContent
    }

    static let h4Rows = [
        Row(testDescription: "a command", flags: 2, bytes: [1, 9], content: .packet(.init(.command, .sent, [9]))),
        Row(testDescription: "an event", flags: 3, bytes: [4, 9], content: .packet(.init(.event, .received, [9]))),
        Row(testDescription: "data to the device", flags: 0, bytes: [2, 9], content: .packet(.init(.acl, .sent, [9]))),
        Row(testDescription: "data from it", flags: 1, bytes: [2, 9], content: .packet(.init(.acl, .received, [9]))),
        Row(testDescription: "sound", flags: 1, bytes: [3, 9], content: .other),
        Row(testDescription: "sound over Low Energy", flags: 0, bytes: [5, 9], content: .other),
        Row(
            testDescription: "an event, flagged as sent data", flags: 0, bytes: [4],
            content: .packet(.init(.event, .received, []))),
        Row(
            testDescription: "a command, flagged as an event", flags: 3, bytes: [1],
            content: .packet(.init(.command, .sent, []))),
        Row(testDescription: "data, flagged as an event", flags: 3, bytes: [2], content: .packet(.init(.acl, .received, []))),
        Row(testDescription: "a type that there is not", flags: 1, bytes: [6, 9], content: .other),
        Row(testDescription: "nothing", flags: 1, bytes: [], content: .other),
    ]

    @Test(arguments: h4Rows) func `The type byte of H4 takes precedence over the flags`(row: Row) {
        #expect(captured(row, .h4).content == row.content)
        #expect(captured(row, .h4).adapter == 0)
    }

    static let monitorRows = [
        Row(testDescription: "a new adapter", flags: 0x0003_0000, bytes: [], content: .adapterChanged),
        Row(testDescription: "an adapter gone", flags: 0x0003_0001, bytes: [], content: .adapterChanged),
        Row(testDescription: "a command", flags: 0x0003_0002, bytes: [9], content: .packet(.init(.command, .sent, [9]))),
        Row(testDescription: "an event", flags: 0x0003_0003, bytes: [9], content: .packet(.init(.event, .received, [9]))),
        Row(testDescription: "data to the device", flags: 0x0003_0004, bytes: [9], content: .packet(.init(.acl, .sent, [9]))),
        Row(testDescription: "data from it", flags: 0x0003_0005, bytes: [9], content: .packet(.init(.acl, .received, [9]))),
        Row(testDescription: "sound to it", flags: 0x0003_0006, bytes: [9], content: .other),
        Row(testDescription: "sound from it", flags: 0x0003_0007, bytes: [9], content: .other),
        Row(testDescription: "an adapter opened", flags: 0x0003_0008, bytes: [], content: .adapterChanged),
        Row(testDescription: "an adapter closed", flags: 0x0003_0009, bytes: [], content: .adapterChanged),
        Row(testDescription: "index info", flags: 0x0003_000A, bytes: [9], content: .other),
        Row(testDescription: "vendor diagnostics", flags: 0x0003_000B, bytes: [9], content: .other),
        Row(testDescription: "a system note", flags: 0x0003_000C, bytes: [9], content: .other),
        Row(testDescription: "user logging", flags: 0x0003_000D, bytes: [9], content: .other),
        Row(testDescription: "a control event", flags: 0x0003_0011, bytes: [9], content: .other),
        Row(
            testDescription: "isochronous data to it", flags: 0x0003_0012, bytes: [9], content: .other
        ),
        Row(
            testDescription: "isochronous data from it", flags: 0x0003_0013, bytes: [9],
            content: .other),
        Row(testDescription: "an opcode to come", flags: 0x0003_0014, bytes: [9], content: .other),
        Row(testDescription: "the highest opcode", flags: 0x0003_FFFF, bytes: [9], content: .other),
    ]

    @Test(arguments: monitorRows) func `The flags of a monitor capture are decoded as opcode and adapter`(row: Row) {
        #expect(captured(row, .monitor).content == row.content)
        #expect(captured(row, .monitor).adapter == 3)
    }

    private func captured(_ row: Row, _ datalink: Datalink) -> CaptureRecord {
        CaptureRecord(
            datalink: datalink, time: CaptureTime(microsecondsSince1970: 0), flags: row.flags, bytes: row.bytes)
    }
}

@Suite struct `The time of a capture` {
    @Test func `The year 2000 has the timestamp that the format's description gives`() {
        let year2000 = CaptureTime(microsecondsSinceYearZero: 0x00E0_3AB4_4A67_6000)
        #expect(CaptureTime(microsecondsSince1970: 946_684_800_000_000) == year2000)
    }

    @Test func `The year 1970 begins 719,540 days after the format's epoch`() {
        // The recorders use 719,540. The calendar, extended to the year 0, has 12 days less.
        #expect(CaptureTime(microsecondsSince1970: 0).microsecondsSinceYearZero == 719_540 * 86_400 * 1_000_000)
    }

    @Test func `A capture time plus the duration to another one equals that time`() {
        let (early, late) = (CaptureTime(microsecondsSince1970: 5), CaptureTime(microsecondsSince1970: 2_000_005))
        #expect(early < late)
        #expect(early.duration(to: late) == .seconds(2))
        #expect(late.duration(to: early) == .seconds(-2))
        #expect(early.advanced(by: .seconds(2)) == late)
    }

    @Test func `Capture times saturate at the first and the last time`() {
        let (first, last) = (CaptureTime(microsecondsSinceYearZero: .min), CaptureTime(microsecondsSinceYearZero: .max))
        #expect(CaptureTime(microsecondsSince1970: .max) == last)
        #expect(last.advanced(by: .seconds(Int64.max)) == last)
        #expect(first.advanced(by: .seconds(Int64.min)) == first)
        #expect(first.duration(to: last) == .microseconds(Int64.max) - .microseconds(Int64.min))
    }
}
