// The ends of requests and of their bodies, in pieces of any size.

import Testing
@testable import HTTP

@Suite struct `The framing of requests` {
    private static let post = "POST /x HTTP/1.1\r\nHost: a\r\n"
    private static let next = "GET / HTTP/1.1\r\n\r\n"

    /// An error, and the index of the request that has it.
    private struct Fault: Hashable {
        let text: String
        let request: Int
    }

    private func fault(_ text: String, inPiecesOf count: Int) -> Fault? {
        var check = FramingCheck()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: count) {
            bytes[start..<min(start + count, bytes.count)].withUnsafeBytes { check.read($0) }
        }
        return check.fault.map { Fault(text: $0, request: check.endedRequests) }
    }

    private func fault(_ text: String) -> Fault? {
        let faults = Set([1, 2, 3, 7, 100_000].map { fault(text, inPiecesOf: $0) })
        #expect(faults.count == 1, "the pieces decide: \(faults)")
        return faults.first ?? nil
    }

    @Test(arguments: [
        next, post + "Content-Length: 2\r\n\r\n{}" + next, post + "Content-Length: 0\r\n\r\n" + next,
        post + "content-length:2 \t\r\n\r\n\r\n" + next, post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n" + next,
        post + "Transfer-Encoding: Chunked\r\n\r\n00a\r\n0123456\r\n9\r\n0\r\nX: y\r\n\r\n" + next,
        "GET / HTTP/1.1\nHost: a\n\n" + next, post + "X: \(String(repeating: "y", count: 9_000))\r\n\r\n" + next,
    ])
    func `A correctly framed request is accepted`(_ text: String) { #expect(fault(text) == nil) }

    @Test(arguments: [
        (
            "Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
            "the size of a chunk is not hexadecimal"
        ),
        (
            "Transfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n",
            "the size of a chunk is not hexadecimal"
        ),
        (
            "Transfer-Encoding: chunked\r\n\r\n 2\r\n{}\r\n0\r\n\r\n",
            "the size of a chunk is not hexadecimal"
        ),
        ("Transfer-Encoding: chunked\r\n\r\n\r\n2\r\n", "the size of a chunk is not hexadecimal"),
        (
            "Transfer-Encoding: chunked\r\n\r\n1000000000000002\r\n",
            "the size of a chunk is not hexadecimal"
        ),
        ("Transfer-Encoding: chunked\r\n\r\n2;x=y\r\n{}\r\n0\r\n\r\n", "chunk extensions are not supported"),
        ("Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n", "a line of a chunked body ends without a carriage return"),
        ("Transfer-Encoding: chunked\r\n\r\n2\r\n{}\n0\r\n", "a line of a chunked body ends without a carriage return"),
        ("Transfer-Encoding: chunked\r\n\r\n0\r\n\n", "a line of a chunked body ends without a carriage return"),
        ("Transfer-Encoding: chunked\r\n\r\n2\r\n{}}\r\n", "a chunk is longer than its size"),
        ("Transfer-Encoding: chunked\r\n\r\n0\r\nX: a\r\n b\r\n\r\n", "folded headers are not supported"),
        ("Transfer-Encoding: chunked\r\n\r\n0\r\nX\r\n\r\n", "a trailer has no colon in its first 255 bytes"),
        (
            "Transfer-Encoding: chunked\r\n\r\n0\r\nX: a\r\n" + String(repeating: "y", count: 1_000) + ": b\r\n\r\n",
            "a trailer has no colon in its first 255 bytes"
        ),
        (
            "Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + String(repeating: "y", count: 17_000) + "\r\n\r\n",
            "the request line, the headers and the trailers have more than 16384 bytes"
        ),
        (
            "Transfer-Encoding: chunked\r\n\r\n0\r\n" + String(repeating: "X: y\r\n", count: 3_000) + "\r\n",
            "the request line, the headers and the trailers have more than 16384 bytes"
        ),
        ("Transfer-Encoding:\r\n chunked\r\n\r\n", "the only supported Transfer-Encoding is chunked"),
        ("Transfer-Encoding: gzip, chunked\r\n\r\n", "the only supported Transfer-Encoding is chunked"),
        ("X: a\r\n\tContent-Length: 2\r\n\r\n", "folded headers are not supported"),
        ("Content-Length: +2\r\n\r\n{}", "Content-Length is not a number"),
        ("Content-Length: ²\r\n\r\n{}", "Content-Length is not a number"),
        ("Content-Length: \r\n\r\n{}", "Content-Length is not a number"),
        ("Transfer-Encoding: chun\u{212A}ed\r\n\r\n", "the only supported Transfer-Encoding is chunked"),
        ("Content-Length: 0x2\r\n\r\n{}", "Content-Length is not a number"),
        ("Content-Length:\r\n\r\n{}", "Content-Length is not a number"),
        ("Content-Length: 2, 2\r\n\r\n{}", "Content-Length is not a number"),
        ("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "the length of the body is given twice"),
        ("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", "the length of the body is given twice"),
        (
            "Content-Length:" + String(repeating: " ", count: 240) + "12345\r\n\r\n{}",
            "the line of Content-Length or Transfer-Encoding has more than 255 bytes"
        ),
        ("X: a\rContent-Length: 2\r\n\r\n{}", "a line contains a carriage return"),
        (
            "X: " + String(repeating: "a", count: 300) + "\rContent-Length: 2\r\n\r\n{}",
            "a line contains a carriage return"
        ),
    ])
    func `A request that another parser could read as two requests is refused`(_ text: String, _ reason: String) {
        #expect(fault(Self.post + text) == Fault(text: reason, request: 0))
        let before = [
            Self.next, Self.post + "Content-Length: 2\r\n\r\n{}", Self.post + "Content-Length: 0\r\n\r\n",
            Self.post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n\r\n",
        ]
        #expect(fault(before.joined() + Self.post + text) == Fault(text: reason, request: 4), "behind other requests")
    }

    @Test func `The bytes of chunks and of earlier requests are not counted as trailers`() {
        let chunks = String(repeating: "1\r\nx\r\n", count: 4_000)
        let request =
            Self.post + "Transfer-Encoding: chunked\r\n\r\n" + chunks
            + "0\r\nX: \(String(repeating: "y", count: 9_000))\r\n\r\n"
        #expect(fault(request + request + Self.next) == nil)
    }
}
