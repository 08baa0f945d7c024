// A session in a state without a number is recorded under the state's name.

import GameFlow
import MemoryStore
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import Console
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Sessions
@testable import Store

@Suite struct `A session in an unnumbered state` {
    private let text = """
        { id: "p", type: "parallel", states: {
            l: { initial: "a", states: { a: { on: { go: "b" } }, b: {} } },
            r: { initial: "a", states: { a: { on: { stay: "a" } }, b: {} } } } }
        """

    private func daemon(_ store: MemoryStore) throws -> (Daemon, LocalClient) {
        let kind = try FlowKind.chart(text: text)
        for number in 0..<70_000 { _ = kind.index(ofState: "other \(number)") }
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [kind])
        try daemon.recover(from: store)
        try daemon.loop.turn()
        return (daemon, LocalClient(of: daemon.host, from: .network))
    }

    @Test func `An unnumbered state is named by SEND, STATE and VIEW, and recovered after a crash`() throws {
        let store = MemoryStore()
        do {
            let (daemon, client) = try daemon(store)
            var replies: [Answer] = []
            for words in [["NEW", "s", "p"], ["SEND", "s", "go"], ["STATE", "s"], ["VIEW", "s"], ["SEND", "s", "go"]] {
                daemon.loop.schedule { replies.append(Answer(reply: client.run(words).last ?? .null)) }
                try daemon.loop.turn()
            }
            #expect(replies[0].text == "l.a,r.a" && replies[1].text == "l.b,r.a" && replies[2]["state"]?.text == "l.b,r.a")
            #expect(replies[3].text?.contains(#""state":"l.b,r.a""#) == true)
            #expect(replies[4].sentence?.hasPrefix("'go' is not valid in 'l.b,r.a'") == true, "\(replies[4])")
            // A turn that ends while the writer is busy is handed over in a later one.
            let isCommitted = try eventually {
                daemon.loop.schedule {}
                try daemon.loop.turn()
                return daemon.persistence?.backlogBytes == 0
            }
            try #require(isCommitted, "it is not committed")
        }
        let (again, _) = try daemon(store)
        #expect(again.sessions["s"]?.stateName == "l.b,r.a")
    }
}
