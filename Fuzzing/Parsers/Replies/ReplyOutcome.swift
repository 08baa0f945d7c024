@testable import RESP

/// A reader's result for a server's bytes, and the end of the reading.
struct ReplyOutcome: Equatable {
    private(set) var replies: [Reply] = []
    private(set) var error: ReplyError?
    /// Bytes of a reply that is not complete; none after an error.
    private(set) var unread = 0

    init(of pieces: [ArraySlice<UInt8>], limits: ReplyLimits) {
        var reader = ReplyReader(limits: limits)
        var input: [UInt8] = []
        do throws(ReplyError) {
            for piece in pieces {
                input += piece
                while let length = try read(&reader, input) { input.removeFirst(length) }
            }
            unread = input.count
        } catch {
            self.error = error
            promise(!error.description.isEmpty, "an error says what is wrong")
        }
    }

    private mutating func read(_ reader: inout ReplyReader, _ input: [UInt8]) throws(ReplyError) -> Int? {
        try input.withExactCopy { (bytes) throws(ReplyError) in
            guard let (reply, length) = try reader.next(in: bytes) else { return nil }
            promise(length > 0 && length <= bytes.count, "a reply of \(length) bytes was read from \(bytes.count)")
            replies.append(reply)
            return length
        }
    }

    /// A NaN differs from itself; its text does not.
    func isSame(as other: ReplyOutcome) -> Bool {
        self == other || "\(self)" == "\(other)"
    }
}
