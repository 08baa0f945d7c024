// A connection's input as the requests' target sees it: pieces come in, requests are read.

@testable import RESP

/// The requests read, and the end of the reading.
struct RequestOutcome: Equatable {
    /// All requests, also empty ones.
    var requests: [[[UInt8]]] = []
    var error: RequestError?
    /// Bytes of a request that is not complete; none after an error.
    var unread = 0
}

struct RequestConversation: ~Copyable {
    private var parser: RequestParser
    private var input: [UInt8] = []
    private var received = 0
    private var outcome = RequestOutcome()

    static func outcome(of pieces: [ArraySlice<UInt8>], limits: RequestLimits) -> RequestOutcome {
        var conversation = RequestConversation(parser: RequestParser(limits: limits))
        for piece in pieces where conversation.outcome.error == nil { conversation.receive(piece) }
        return conversation.outcome
    }

    private init(parser: consuming RequestParser) {
        self.parser = parser
    }

    private mutating func receive(_ piece: ArraySlice<UInt8>) {
        input += piece
        received += piece.count
        do throws(RequestError) {
            while let length = try next() { input.removeFirst(length) }
            outcome.unread = input.count
        } catch {
            outcome.error = error
            outcome.unread = 0
            promise(!error.description.isEmpty, "an error says what is wrong")
        }
        checkFootprint()
    }

    private mutating func next() throws(RequestError) -> Int? {
        try input.withExactCopy { (bytes) throws(RequestError) in
            guard let length = try parser.next(in: bytes) else {
                promise(parser.arguments.isEmpty, "a request that is not complete has words")
                return nil
            }
            promise(length > 0 && length <= bytes.count, "a request of \(length) bytes was read from \(bytes.count)")
            if bytes.first == .star { checkLimits() }
            outcome.requests.append(parser.arguments.map { Array($0.bytes) })
            return length
        }
    }

    /// The limits of an array. An inline request has others.
    private func checkLimits() {
        let longest = parser.arguments.map(\.count).max() ?? 0
        promise(parser.arguments.count <= parser.limits.arguments, "\(parser.arguments.count) words came through a limit")
        promise(longest <= parser.limits.bulk, "a word of \(longest) bytes came through a limit of \(parser.limits.bulk)")
    }

    /// A word takes two bytes of input at least, and 16 bytes of memory; places and copies may have twice the room they need.
    private func checkFootprint() {
        let (footprint, most) = (parser.arguments.footprint, 2_048 + 32 * received)
        promise(footprint <= most, "\(received) bytes of input cost \(footprint) bytes of memory; \(most) should be enough")
    }
}
