// The beginning of an answer: its status and its headers, read in whole once they have come.

package struct AnswerHead: Equatable {
    package let status: Int
    package let headers: [(name: String, value: String)]

    package static let maxBytes = 16 << 10
    private static let end: [UInt8] = Array("\r\n\r\n".utf8)

    package static func == (left: Self, right: Self) -> Bool {
        left.status == right.status && left.headers.elementsEqual(right.headers, by: ==)
    }

    package enum Reading: Equatable {
        /// More has to come.
        case incomplete
        /// It takes `length` bytes; the body follows.
        case head(AnswerHead, length: Int)
        case wrong
    }

    package static func read(_ bytes: [UInt8]) -> Reading {
        guard let length = length(in: bytes) else { return bytes.count > maxBytes ? .wrong : .incomplete }
        guard length <= maxBytes, let text = String(validating: bytes[..<(length - end.count)], as: UTF8.self),
            let head = AnswerHead(text)
        else { return .wrong }
        return .head(head, length: length)
    }

    private static func length(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= end.count else { return nil }
        let last = min(bytes.count, maxBytes + end.count) - end.count
        return (0...last).first { bytes[$0..<($0 + end.count)].elementsEqual(end) }.map { $0 + end.count }
    }

    private init?(_ text: String) {
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        let words = lines.removeFirst().split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "HTTP/1.0" || words[0] == "HTTP/1.1", words[1].utf8.count == 3,
            let status = Int(words[1]), (100...599).contains(status)
        else { return nil }
        var headers: [(name: String, value: String)] = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            headers.append((line[..<colon].lowercased(), String(value)))
        }
        (self.status, self.headers) = (status, headers)
    }

    package func value(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The bytes of the body; nil where its end is that of the connection.
    var bodyLength: Int? { value("content-length").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }

    /// Whether the body has a transfer encoding, which the request did not ask for.
    var isChunked: Bool { value("transfer-encoding") != nil }
}
