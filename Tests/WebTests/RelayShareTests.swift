// Shares of a node's requests to other nodes.

import Cluster
import EventLoop
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Web

@Suite struct `Requests to another node that does not answer` {
    /// Nothing listens there; the loop does not run, so that everything waits.
    private let node = RemoteNode(
        name: "b", incarnation: 2, address: NodeAddress(host: "127.0.0.1", port: 1),
        door: NodeEndpoint(address: NodeAddress(host: "127.0.0.1", port: 1), certificate: nil, key: "a key"), state: .here)

    private func consumer(_ name: String) -> Consumer { Consumer(holders: [.token(name)], usesReserve: false) }

    @Test func `Forwarded requests leave room for other tokens, and free their own when cancelled`() throws {
        let host = Host(on: Timekeeper(VirtualClock()), flows: [], commands: .all)
        let loop = try Loop()
        let relay = try Relay(of: host, on: loop)
        var (waiting, refusals): ([RelayedRequest], [CommandError]) = ([], [])
        func ask(_ consumer: Consumer, times: Int = 1_000) -> Int {
            let before = waiting.count
            for _ in 0..<times {
                let asked = relay.ask(node, "GET", "/api/sessions/a", for: .link, consumer) { result in
                    if case .failure(let error) = result { refusals.append(error) }
                }
                guard let asked else { break }
                waiting.append(asked)
            }
            return waiting.count - before
        }
        #expect(ask(consumer("greedy")) == 256)
        #expect(ask(consumer("quiet")) == 256 - 25)
        #expect(ask(.privileged) == 25)
        #expect(refusals.map(\.code.text) == ["LIMIT", "LIMIT", "LIMIT"])
        #expect(refusals.first?.sentence.contains("the token 'greedy' uses 256 requests that wait for other nodes") == true)
        for request in waiting { request.cancel() }
        for request in waiting { request.cancel() }
        #expect(ask(consumer("greedy"), times: 10) == 10)
        relay.stop()
    }

    @Test func `Forwarded streams have a limit of their own, with a share for each token`() throws {
        let host = Host(on: Timekeeper(VirtualClock()), flows: [], commands: .all)
        let relay = try Relay(of: host, on: Loop())
        func open(_ consumer: Consumer) -> Int {
            var opened = 0
            while (try? relay.stream(node, "/api/stream", for: .link, consumer, silence: 1)) != nil { opened += 1 }
            return opened
        }
        #expect(open(consumer("greedy")) == 512)
        #expect(open(consumer("quiet")) == 512 - 51)
        #expect(open(.privileged) == 51)
        relay.endStream(of: consumer("greedy"))
        #expect(open(consumer("greedy")) == 0, "the rest is reserved")
        #expect(open(.privileged) == 1)
    }
}
