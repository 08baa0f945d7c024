// The order in which the client library sends requests, and its connection's options.

import Client
import Glibc
import Posix
import RESP
import TestSupport
import Testing
@testable import GamedClient

@Suite struct `A client's queue of requests` {
    private static func request(_ number: Int, commands: Int = 1, isUrgent: Bool = false) -> GamedClient.Request {
        GamedClient.Request(
            number, Array(repeating: ["SEND", "room", "pass"], count: commands), isRepeatable: true, isUrgent: isUrgent
        ) { _ in }
    }

    /// The numbers of the requests that are sent now.
    private static func next(of queue: inout RequestQueue, blocked: Int? = nil) -> [Int] {
        queue.takeNext { $0.number == blocked }.map(\.number)
    }

    @Test func `Events that are sent together are not overtaken by requests behind them`() {
        var queue = RequestQueue()
        queue.append(Self.request(1))
        #expect(Self.next(of: &queue) == [1])
        queue.append(Self.request(2, commands: RequestQueue.maxSent))
        queue.append(Self.request(3))
        #expect(Self.next(of: &queue).isEmpty)
        _ = queue.takeAnswered(by: .simple("first"))
        #expect(Self.next(of: &queue) == [2])
        for _ in 0..<RequestQueue.maxSent { _ = queue.takeAnswered(by: .simple("first")) }
        #expect(Self.next(of: &queue) == [3])
    }

    @Test func `Requests that wait for a subscription's position hold up no others`() {
        var queue = RequestQueue()
        queue.append(Self.request(1, commands: RequestQueue.maxSent))
        queue.append(Self.request(2))
        #expect(Self.next(of: &queue, blocked: 1) == [2])
    }

    @Test func `A reply is followed by the next request without a look at all that wait`() {
        var queue = RequestQueue()
        for number in 1...10_000 { queue.append(Self.request(number)) }
        #expect(Self.next(of: &queue) == Array(1...RequestQueue.maxSent))
        _ = queue.takeAnswered(by: .simple("first"))
        var seen = 0
        let next = queue.takeNext { _ in
            seen += 1
            return false
        }
        #expect(next.map(\.number) == [RequestQueue.maxSent + 1] && seen <= 2)
    }

    @Test(arguments: [true, false])
    func `A request that was sent before the connection was lost may have been accepted`(isEnded: Bool) {
        var (queue, outcomes) = (RequestQueue(), [GamedError]())
        let request = { (number: Int) in
            GamedClient.Request(number, [["SEND", "room", "pass", "ID", "\(number)"]], isRepeatable: true) { result in
                if case .failure(let error as GamedError) = result { outcomes.append(error) }
            }
        }
        queue.append(request(1))
        #expect(Self.next(of: &queue) == [1])
        queue.append(request(2))
        queue.requeueSent(otherwise: GamedError.unknownOutcome("lost"))
        if isEnded {
            for number in 1...2 { queue.end(number) { GamedError.unanswered($0, because: "late") } }
        } else {
            queue.failAll { GamedError.unanswered($0, because: "late") }
        }
        #expect(outcomes == [.unknownOutcome("late"), .unavailable("late")] && queue.isEmpty)
    }

    @Test func `A transaction with an error ends with it if the connection is lost, and is not sent again`() {
        var (queue, replies) = (RequestQueue(), [Reply]())
        let commands = [["MULTI"], ["SEND", "room", "pass"], ["EXEC"]]
        queue.append(
            GamedClient.Request(1, commands, isRepeatable: true) { result in
                if let reply = try? result.get() { replies.append(reply.reply) }
            })
        #expect(Self.next(of: &queue) == [1])
        let error = Reply.error(code: .generic, text: "Protocol error: invalid bulk length")
        for reply in [.simple("OK"), error] { #expect(queue.takeAnswered(by: reply) == nil) }
        queue.requeueSent(otherwise: GamedError.unknownOutcome("lost"))
        #expect(replies == [error] && Self.next(of: &queue) == [])
    }

    @Test(arguments: [true, false])
    func `A reply says whether its request was sent before over a connection that was lost`(isLost: Bool) {
        var (queue, replies) = (RequestQueue(), [NodeReply]())
        queue.append(
            GamedClient.Request(1, [["SEND", "room", "pass", "ID", "1"]], isRepeatable: true) { result in
                if let reply = try? result.get() { replies.append(reply) }
            })
        #expect(Self.next(of: &queue) == [1])
        if isLost {
            queue.requeueSent(otherwise: GamedError.unknownOutcome("lost"))
            #expect(Self.next(of: &queue) == [1])
        }
        let answered = queue.takeAnswered(by: .error(code: .loading, text: "restoring"))
        if let (request, reply) = answered { request.complete(with: .success(reply)) }
        #expect(replies.map(\.mayBeAccepted) == [isLost])
    }

    @Test func `Only requests whose deadline has passed end, and one that was sent keeps the place of its reply`() {
        var (queue, ended) = (RequestQueue(), [Int]())
        let now = ContinuousClock.now
        for (number, seconds) in [(1, 1), (2, 5), (3, 1)] {
            queue.append(
                GamedClient.Request(
                    number, [["SEND", "room", "pass"]], isRepeatable: true, until: now + .seconds(seconds)
                ) { result in if case .failure = result { ended.append(number) } })
            if number == 1 { #expect(Self.next(of: &queue) == [1]) }
        }
        #expect(queue.firstDeadline == now + .seconds(1))
        queue.endOverdue(at: now) { _ in CancellationError() }
        #expect(ended.isEmpty)
        queue.endOverdue(at: now + .seconds(1)) { _ in CancellationError() }
        #expect(ended == [1, 3] && queue.firstDeadline == now + .seconds(5))
        #expect(Self.next(of: &queue) == [2])
        #expect(queue.takeAnswered(by: .simple("first"))?.request.number == 1)
        #expect(queue.takeAnswered(by: .simple("first"))?.request.number == 2)
        #expect(queue.firstDeadline == nil)
    }

    @Test func `An urgent request is sent before those that wait, and urgent ones in their order`() {
        var queue = RequestQueue()
        queue.append(Self.request(1))
        queue.append(Self.request(2, isUrgent: true))
        queue.append(Self.request(3, isUrgent: true))
        #expect(Self.next(of: &queue, blocked: 1) == [2, 3])
        #expect(Self.next(of: &queue) == [1])
    }
}

@Suite struct `A client's connection over TCP` {
    @Test func `A daemon whose machine is gone is noticed within a minute`() throws {
        let proxy = try Proxy(to: 9)
        let address = ServerAddress.tcp(HostAndPort(host: "127.0.0.1", port: UInt16(proxy.port)))
        let link = try DaemonLink(to: address, nil, program: nil, timeout: nil, connectTimeout: .seconds(5))
        defer { link.close() }
        let (protocolNumber, keepalive) = (Int32(IPPROTO_TCP), Self.option(SOL_SOCKET, SO_KEEPALIVE, of: link))
        let silence = Self.option(protocolNumber, TCP_KEEPIDLE, of: link)
        let probes = Self.option(protocolNumber, TCP_KEEPCNT, of: link) * Self.option(protocolNumber, TCP_KEEPINTVL, of: link)
        #expect(keepalive == 1 && silence + probes < 60)
        let unacknowledged = Self.option(protocolNumber, TCP_USER_TIMEOUT, of: link)
        #expect((1..<60_000).contains(unacknowledged))
    }

    private static func option(_ level: Int32, _ name: Int32, of link: DaemonLink) -> Int32 {
        var (value, size) = (Int32(-1), socklen_t(MemoryLayout<Int32>.size))
        getsockopt(link.descriptor, level, name, &value, &size)
        return value
    }
}
