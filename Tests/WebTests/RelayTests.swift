// HTTP between the nodes of a cluster: passes, responses, events and list cursors.

import HTTP
import TestSupport
import Testing
@testable import Web

@Suite struct `A pass of one node for another` {
    private let pass = RelaySigner(key: "a key that is in the database")
    private let bearers: [VisitorIdentity] = [
        .link, .guest("[::1]:5123"), .token("room7", fingerprint: "4d967a30111bf29f"), .token("a:b", fingerprint: "0"),
    ]

    @Test func `A pass for another node carries the identity of the client`() {
        for bearer in bearers {
            let said = pass.write(bearer, at: 1_000_000, "POST", "/api/sessions/a/events", [1, 2])
            #expect(pass.read(said, at: 1_030_000, "POST", "/api/sessions/a/events", [1, 2]) == bearer)
        }
    }

    /// Without a fingerprint, any token of that name would do.
    @Test(arguments: ["token", "token:room7"])
    func `A login or a pass that names a token without its fingerprint is refused`(text: String) {
        #expect(VisitorIdentity(text[...]) == nil)
    }

    @Test func `A pass for another node is valid only with the id of its request`() {
        for id in [nil, "k", "l"] {
            let said = pass.write(.link, at: 1_000_000, "POST", "/api/a", [1], id: id)
            for other in [nil, "k", "l"] {
                #expect(pass.read(said, at: 1_000_000, "POST", "/api/a", [1], id: other) == (other == id ? .link : nil))
            }
        }
    }

    @Test func `A pass for another node is valid for one request, for 30 s, and with that node's key`() {
        let said = pass.write(.link, at: 1_000_000, "POST", "/api/a", [1, 2])
        #expect(pass.read(said, at: 1_000_000, "DELETE", "/api/a", [1, 2]) == nil)
        #expect(pass.read(said, at: 1_000_000, "POST", "/api/b", [1, 2]) == nil)
        #expect(pass.read(said, at: 1_000_000, "POST", "/api/a", [1, 3]) == nil)
        #expect(pass.read(said, at: 1_030_001, "POST", "/api/a", [1, 2]) == nil)
        #expect(pass.read(said, at: 969_999, "POST", "/api/a", [1, 2]) == nil)
        #expect(RelaySigner(key: "another").read(said, at: 1_000_000, "POST", "/api/a", [1, 2]) == nil)
        #expect(pass.read(said.replacing("link", with: "guest:x"), at: 1_000_000, "POST", "/api/a", [1, 2]) == nil)
        // The last of these is 2^63 ms away: a difference without an absolute value.
        let times = [Int.max, Int.min, Int.min + 1_000_000].map { "\($0) link 00" }
        for nonsense in ["", "link", "1 link", "x link \(said)", said + " x"] + times {
            #expect(pass.read(nonsense, at: 1_000_000, "POST", "/api/a", [1, 2]) == nil)
        }
    }
}

@Suite struct `The response of another node` {
    private func read(_ text: String) -> AnswerHead.Reading { AnswerHead.read(Array(text.utf8)) }

    @Test func `The response of another node is read once its head is complete`() {
        let text = "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nContent-Length:  12\r\n\r\n"
        for count in 0..<text.utf8.count { #expect(AnswerHead.read(Array(text.utf8.prefix(count))) == .incomplete) }
        guard case .head(let head, let length) = read(text + "{}") else {
            Issue.record("there is no head")
            return
        }
        #expect(head.status == 200 && length == text.utf8.count)
        #expect(head.value("content-type") == "application/json" && head.value("content-length") == "12")
    }

    @Test(arguments: [
        "HTTP/2 200 OK\r\n\r\n", "HTTP/1.0 20 OK\r\n\r\n", "HTTP/1.0 abc\r\n\r\n", "\r\n\r\n", "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/1.0 200 OK\r\nno colon\r\n\r\n", "HTTP/1.0 999 X\r\n\r\n",
    ])
    func `A response of another node with a wrong head is refused`(text: String) { #expect(read(text) == .wrong) }

    @Test func `JSON that another node has sent gets the security headers of data`() {
        guard case .head(let head, _) = read("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\nDate: today\r\n\r\n") else {
            Issue.record("there is no head")
            return
        }
        let response = Relay.Answer(head: head, body: Array("{}".utf8)).response
        #expect(response.headers.map { "\($0.name): \($0.value)" } == ["Content-Type: application/json"])
        #expect(
            Security.headers(for: response).map(\.name) == [
                "Content-Security-Policy", "X-Content-Type-Options", "Cross-Origin-Resource-Policy",
            ])
    }

    @Test func `The head of another node's response is limited in size`() {
        #expect(read("HTTP/1.0 200 OK\r\n" + String(repeating: "a: b\r\n", count: 4_000)) == .wrong)
    }
}

@Suite struct `Events of another node` {
    private let text =
        "event: hello\nid: 7\ndata: {}\n\n: \n\nevent: rows\ndata: {\"a\":1}\n\nevent: x\n\nevent: view\ndata: ä\n\nevent: cut"

    @Test func `Events of another node are parsed the same in pieces of any size`() {
        for size in [1, 2, 3, 7, 1_000] {
            var (parser, found): (EventParser, [String]) = (EventParser(), [])
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let events = parser.add(Array(rest.prefix(size))) ?? []
                found += events.map { "\($0.name) \(String(decoding: $0.data, as: UTF8.self))" }
                rest = rest.dropFirst(size)
            }
            #expect(found == ["hello {}", "rows {\"a\":1}", "view ä"], "\(size) at a time")
        }
    }

    @Test func `An event of another node is limited in size`() {
        var parser = EventParser()
        let piece = [UInt8](repeating: 65, count: 1 << 20)
        #expect((0..<9).contains { _ in parser.add(piece) == nil })
    }
}

@Suite struct `A list over nodes` {
    @Test func `The cursor of a list over nodes is a number that JSON represents exactly`() {
        for (node, place) in [(1, 0), (1, 5), (1_048_574, 1 << 33 - 1)] as [(Int64, Int)] {
            let cursor = NodesCursor(node: node, place: place)
            #expect(NodesCursor(cursor.number) == cursor && cursor.number > 0 && cursor.number < 9_007_199_254_740_991)
        }
        #expect(NodesCursor(0) == NodesCursor(node: 0, place: 0))
        for incarnation in [1, 2, 1_048_574, 1_048_575, 1_048_576, Int64.max] { #expect(NodesCursor.short(incarnation) > 0) }
    }
}
