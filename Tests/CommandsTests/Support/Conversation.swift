// A client's conversation with a host in virtual time: the bytes of the protocol, without a socket.

import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Simulation

/// A host with the built-in flows, and one client whose requests and replies are bytes.
final class Conversation {
    let host: Host
    private let client: Client
    private var input = ByteQueue()
    private var parser = RequestParser()

    init(_ change: (inout Limits) -> Void = { _ in }) {
        var limits = Limits()
        change(&limits)
        host = Host(
            on: Timekeeper(VirtualClock()), flows: RehearsedFlows.builtIn.makeIdle(), commands: .all, limits: limits)
        client = Client(id: 1, from: .network, of: host)
    }

    var page: (any LoginPage)? {
        get { host.page }
        set { host.page = newValue }
    }

    /// Executes the requests in these bytes, fires the due timers after each, and returns the bytes of the replies.
    func send(_ bytes: [UInt8]) throws -> [UInt8] {
        bytes.withUnsafeBytes { input.append($0) }
        while let length = try parser.next(in: input.bytes) {
            client.call.execute(Request(words: Words(parser.arguments)))
            input.consume(length)
            host.fireDueTimers()
        }
        defer { client.output.removeAll() }
        return Array(client.output.unsent)
    }

    func send(line: some StringProtocol) throws -> [UInt8] { try send(Array("\(line)\r\n".utf8)) }

    func ask(_ words: [UInt8]...) throws -> Answer {
        var request = ByteQueue()
        request.append(request: words)
        return try answer(send(Array(request.bytes)))
    }

    /// Sends a line, quoted as an inline request, and returns the first reply.
    func ask(_ line: String) throws -> Answer { try answer(send(line: line)) }

    private func answer(_ bytes: [UInt8]) throws -> Answer {
        var reader = ReplyReader()
        let found = try bytes.withUnsafeBytes { try reader.next(in: $0) }
        return Answer(reply: try #require(found).reply)
    }
}

/// Runs a conversation line by line: `> ` is a request, and the lines with `< ` are its whole reply.
func transcript(
    _ text: String, with conversation: Conversation, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    var (request, expected) = (Substring(), "")
    func compare() throws {
        guard !request.isEmpty else { return }
        let reply = String(decoding: try conversation.send(line: request), as: UTF8.self)
        #expect(reply == expected, "after: \(request)", sourceLocation: sourceLocation)
    }
    for line in text.split(separator: "\n") {
        if line.hasPrefix("> ") {
            try compare()
            (request, expected) = (line.dropFirst(2), "")
        } else {
            expected += "\(line.dropFirst(2))\r\n"
        }
    }
    try compare()
}
