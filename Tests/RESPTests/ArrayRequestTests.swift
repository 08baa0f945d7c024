// Requests as client libraries send them: arrays of bulks.

import RESP
import Testing

@Suite struct `Requests in arrays` {
    @Test(arguments: [
        ("*1\r\n$4\r\nPING\r\n", ["PING"]),
        ("*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n", ["ECHO", "hi"]),
        // A bulk may be empty, or contain bytes that look like frames.
        ("*3\r\n$0\r\n\r\n$2\r\n\r\n\r\n$4\r\n$1\r\n\r\n", ["", "\r\n", "$1\r\n"]),
        ("*1\r\n$10\r\n0123456789\r\n", ["0123456789"]),
        ("*2\r\n$3\r\nGET\r\n$120\r\n\(String(repeating: "k", count: 120))\r\n", ["GET", String(repeating: "k", count: 120)]),
        ("*12\r\n" + String(repeating: "$1\r\na\r\n", count: 12), Array(repeating: "a", count: 12)),
        ("*300\r\n" + String(repeating: "$1\r\na\r\n", count: 300), Array(repeating: "a", count: 300)),
        ("*1\r\n$8\r\nžluťou\r\n", ["žluťou"]),
    ])
    func `A request in an array is read as its words`(wire: String, words: [String]) {
        expect(wire, reads: [words])
    }

    @Test func `Array requests and inline requests may be mixed`() {
        expect(
            "*1\r\n$4\r\nPING\r\nECHO a\n*2\r\n$4\r\nECHO\r\n$1\r\nb\r\nECHO c\r\n",
            reads: [["PING"], ["ECHO", "a"], ["ECHO", "b"], ["ECHO", "c"]])
    }

    @Test(arguments: ["*0\r\n", "*-1\r\n", "*-7\r\n", "\r\n", "\n", "   \t \r\n", "\r\n\n*0\r\n\r\n"])
    func `An empty array and an empty line are ignored`(wire: String) {
        expect(wire, reads: [])
        expect(wire + "*1\r\n$4\r\nPING\r\n" + wire, reads: [["PING"]])
    }

    @Test func `The bytes of line ends after lengths and bulks are not checked, as in Redis`() {
        expect("*2\rX$4\rYECHO12$2\r\nhi34", reads: [["ECHO", "hi"]])
    }

    @Test func `A request with as many and as long words as the limits allow is read`() {
        let limits = RequestLimits(isAuthenticated: true, arguments: 3, bulk: 5)
        expect("*3\r\n$5\r\n12345\r\n$1\r\na\r\n$0\r\n\r\n", reads: [["12345", "a", ""]], limits: limits)
        let long = String(repeating: "x", count: 16 * 1024)
        let wire = "*10\r\n$16384\r\n\(long)\r\n" + String(repeating: "$1\r\na\r\n", count: 9)
        var conversation = RequestConversation(limits: .unauthenticated)
        conversation.receive(wire.utf8)
        #expect(conversation.transcript.requests.first?.count == 10)
    }

    @Test func `Request limits can be changed between requests`() throws {
        var parser = RequestParser(limits: .unauthenticated)
        let wire = "*11\r\n" + String(repeating: "$1\r\na\r\n", count: 11)
        #expect(throws: RequestError.strangersArgumentCount) { try parser.read(wire.utf8) }
        parser.limits = .authenticated
        #expect(try parser.read(wire.utf8) == wire.utf8.count)
        #expect(parser.arguments.count == 11)
    }

    @Test func `A request that is only announced allocates no memory`() throws {
        var parser = RequestParser()
        #expect(try parser.read("*1048576\r\n$536870912\r\nabc".utf8) == nil)
        #expect(parser.arguments.footprint == 0)
    }

    @Test func `The memory of a request with 50,000 words is released by the next request`() throws {
        var parser = RequestParser()
        let wire = "*50000\r\n" + String(repeating: "$1\r\na\r\n", count: 50_000)
        #expect(try parser.read(wire.utf8) == wire.utf8.count)
        #expect(parser.arguments.count == 50_000 && parser.arguments.footprint > 500_000)
        #expect(try parser.read("PING\r\n".utf8) == 6)
        #expect(parser.arguments.footprint < 1_000)
    }
}

/// Short requests take another path through the parser; the results must be the same.
@Suite struct `Short and long requests` {
    private static let lengths = [0, 1, 9, 10, 11, 98, 99, 100, 101, 999, 1_000]

    @Test(arguments: [
        RequestLimits.authenticated, .unauthenticated, RequestLimits(isAuthenticated: true, arguments: 8),
        RequestLimits(isAuthenticated: true, bulk: 98),
    ])
    func `A request is parsed the same in one piece, in two and byte by byte`(limits: RequestLimits) {
        for count in [0, 1, 2, 8, 9, 10, 11] {
            for length in Self.lengths {
                let words = (0..<count).map { [UInt8](repeating: UInt8(ascii: "a"), count: $0 == count / 2 ? length : 4) }
                let wire = Array("*\(count)\r\n".utf8) + words.flatMap { Array("$\($0.count)\r\n".utf8) + $0 + [13, 10] }
                let whole = RequestConversation.transcript(of: [wire], limits: limits)
                let isAllowed =
                    count <= limits.arguments && (count == 0 || length <= limits.bulk)
                    && (limits.isAuthenticated || count <= RequestLimits.strangersArguments)
                #expect((whole.error == nil) == isAllowed, "\(count) words, one of \(length): \(whole)")
                if isAllowed, count > 0 { #expect(whole.requests == [words]) }
                #expect(RequestConversation.transcript(of: wire.map { [$0] }, limits: limits) == whole)
                for cut in 1..<min(wire.count, 60) {
                    let halves = RequestConversation.transcript(of: [wire[..<cut], wire[cut...]], limits: limits)
                    #expect(halves == whole, "cut at \(cut)")
                }
            }
        }
    }
}
