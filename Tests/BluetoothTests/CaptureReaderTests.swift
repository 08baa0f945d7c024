// Captures are read incrementally, and errors name the position.

import Bluetooth
import Testing

@Suite struct `Reading a capture` {
    /// A capture of Android's with one record, byte for byte.
    static let literal: [[UInt8]] = [
        [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00],  // "btsnoop" and a zero byte
        [0x00, 0x00, 0x00, 0x01],  // version 1
        [0x00, 0x00, 0x03, 0xEA],  // H4
        [0x00, 0x00, 0x00, 0x09],  // the packet had 9 bytes
        [0x00, 0x00, 0x00, 0x07],  // 7 of them are here
        [0x00, 0x00, 0x00, 0x03],  // a received event
        [0x00, 0x00, 0x00, 0x02],  // 2 packets were lost before
        [0x00, 0xE0, 0x3A, 0xB4, 0x4A, 0x67, 0x60, 0x01],  // a microsecond into the year 2000
        [0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x13],  // disconnection complete
    ]

    @Test(arguments: Segmentation.allCases) func `A capture record is read`(segmentation: Segmentation) throws {
        let expected = CaptureRecord(
            datalink: .h4, time: CaptureTime(microsecondsSince1970: 946_684_800_000_001), flags: 3,
            bytes: [0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x13])
        #expect(try records(Self.literal, segmentation) == [expected])
    }

    @Test(arguments: Segmentation.allCases) func `Records are read in order, including empty ones`(segmentation: Segmentation)
        throws
    {
        let capture = [monitorHeader, record([1, 2, 3]), record([]), record([4]), record([])]
        #expect(try records(capture, segmentation).map(\.bytes) == [[1, 2, 3], [], [4], []])
    }

    @Test func `A capture reader keeps no consumed bytes`() throws {
        var reader = CaptureReader()
        reader.feed(h4Header)
        #expect(try reader.next() == nil)
        for _ in 0..<1_000 {
            reader.feed(record(buttonNotifies) + [0x00])
            #expect(try reader.next() != nil)
            #expect(reader.unreadByteCount == 1)
            reader.feed(record(buttonNotifies).dropFirst())
            #expect(try reader.next() != nil)
            #expect(reader.unreadByteCount == 0)
        }
    }

    @Test(arguments: Segmentation.allCases) func `The longest possible packet is read`(segmentation: Segmentation) throws {
        let longest = [UInt8](repeating: 0x5A, count: 65_540)
        #expect(try records([h4Header, record(longest)], segmentation).map(\.bytes) == [longest])
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let capture: [[UInt8]]
        let error: CaptureError
        var recordCount = 0
        let sentence: String
    }

    static let faults = [
        Fault(
            testDescription: "a file of another kind",
            capture: [[0xD4, 0xC3, 0xB2, 0xA1, 0x02, 0x00]],
            error: .notACapture(offset: 0, found: 0xD4),
            sentence: """
                this is not a btsnoop capture: the byte at offset 0 is 0xD4; a capture begins with 'btsnoop' and a zero byte
                """),
        Fault(
            testDescription: "a text that begins alike",
            capture: [Array("btsnoop: a format".utf8)],
            error: .notACapture(offset: 7, found: 0x3A),
            sentence: """
                this is not a btsnoop capture: the byte at offset 7 is 0x3A; a capture begins with 'btsnoop' and a zero byte
                """),
        Fault(
            testDescription: "a version to come",
            capture: [h4Header[..<8] + [0, 0, 0, 2] + h4Header[12...]],
            error: .unknownVersion(2),
            sentence: "the capture has version 2, at offset 8; only version 1 can be read"),
        Fault(
            testDescription: "packets without types",
            capture: [h4Header[..<12] + [0, 0, 0x03, 0xE9]],
            error: .unknownDatalink(1001),
            sentence: """
                the capture has datalink 1001, at offset 12; it can be 1002 (H4, recorded by Android) or 2001 \
                (monitor, recorded by btmon)
                """),
        Fault(
            testDescription: "one byte more than a packet can have",
            capture: [h4Header, record([]), record([UInt8](repeating: 0, count: 65_541))],
            error: .recordTooLong(offset: 40, byteCount: 65_541), recordCount: 1,
            sentence: """
                the record at offset 40 claims to have 65541 bytes, so the capture is damaged there; a record has at most 65540
                """),
        Fault(
            testDescription: "the longest length that can be written",
            capture: [h4Header, [0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 16)],
            error: .recordTooLong(offset: 16, byteCount: .max),
            sentence: """
                the record at offset 16 claims to have 4294967295 bytes, so the capture is damaged there; a record has at most \
                65540
                """),
        Fault(
            testDescription: "nothing at all", capture: [],
            error: .truncatedHeader(byteCount: 0),
            sentence: "the capture ends after 0 bytes, within its header of 16"),
        Fault(
            testDescription: "a header without its end", capture: [h4Header.dropLast()],
            error: .truncatedHeader(byteCount: 15),
            sentence: "the capture ends after 15 bytes, within its header of 16"),
        Fault(
            testDescription: "a record with a truncated header",
            capture: [h4Header, record([1]), record([2]).dropLast(2)],
            error: .truncatedRecord(offset: 41, byteCount: 23, expected: 24), recordCount: 1,
            sentence: "the capture ends within the record at offset 41: 23 bytes of it are there, of at least 24"),
        Fault(
            testDescription: "a truncated record",
            capture: [h4Header, record([1, 2, 3]).dropLast()],
            error: .truncatedRecord(offset: 16, byteCount: 26, expected: 27),
            sentence: "the capture ends within the record at offset 16: 26 bytes of it are there, of at least 27"),
    ]

    @Test(arguments: faults, Segmentation.allCases)
    func `A capture error names the fault and its position`(fault: Fault, segmentation: Segmentation) {
        let (error, recordCount) = failure(of: fault.capture, segmentation)
        #expect(error == fault.error)
        #expect(recordCount == fault.recordCount)
        #expect(error?.description == fault.sentence)
    }

    @Test func `A capture reader reads nothing after a fault, and throws that fault again`() throws {
        var reader = CaptureReader()
        reader.feed([0x00])
        #expect(throws: CaptureError.notACapture(offset: 0, found: 0)) { try reader.next() }
        reader.feed(h4Header + record(buttonNotifies))
        #expect(throws: CaptureError.notACapture(offset: 0, found: 0)) { try reader.next() }
        #expect(throws: CaptureError.notACapture(offset: 0, found: 0)) { try reader.finish() }
        #expect(reader.unreadByteCount == 0)
    }
}
