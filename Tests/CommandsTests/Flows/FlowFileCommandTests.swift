// Replies of commands about flows from files, for features that flows in Swift do not have.

import GameFlow
import RESP
import TestSupport
import Testing
import Timers
@testable import Commands

@Suite struct `Commands about a flow from a file` {
    private let host: Host
    private let client: LocalClient

    init() throws {
        let race = try FlowKind.chart(
            text: """
                { id: "race", initial: "a", context: { n: 5 }, events: { inner: { from: [] }, go: {} },
                  states: {
                    a: { on: { go: "b", inner: "b" }, after: { "1s": { name: "fixed", target: "b" } } },
                    b: { initial: "c", states: { c: {}, d: {}, hs: { type: "history", target: "c" } },
                         after: { "5s": { name: "soon", delay: "n * 1000", target: "a" } } } } }
                """)
        host = Host(on: Timekeeper(VirtualClock()), flows: [race], commands: .all)
        client = LocalClient(of: host)
        #expect(say("NEW", "s", "race").text == "a")
    }

    private func say(_ words: String...) -> Answer { Answer(reply: client.run(words).last ?? .null) }

    @Test(arguments: [
        ("", "a state has a name; available: a, b.c, b.d"),
        (",,", "',,' leaves a state's name out; available: a, b.c, b.d"),
        ("b.c,", "'b.c,' leaves a state's name out; available: a, b.c, b.d"),
        ("b.hs", "'b.hs' is a history state, in which no session ever is; available: a, b.c, b.d"),
        ("b.x", "'race' has no state 'b.x'; available: a, b.c, b.d"),
    ])
    func `FORCE and NEW refuse an empty, unknown or history state and list the available states`(name: String, sentence: String)
    {
        let forced = say("FORCE", "s", name)
        #expect(forced.sentence?.contains(sentence) == true, "\(forced)")
        let begun = say("NEW", "t", "race", #"{"state":"\#(name)"}"#)
        #expect(begun.sentence?.contains(sentence) == true, "\(begun)")
        #expect(say("STATE", "s")["state"]?.text == "a" && say("STATE", "t").code == .noSession)
        #expect(say("FORCE", "s", "b.d").text == "b.d" && say("FORCE", "s", "b").text == "b.c")
    }

    @Test func `SEND of an internal event is refused as one that comes from the flow itself`() {
        #expect(say("SEND", "s", "inner").sentence == "'inner' cannot come from ui; it comes from the flow itself")
    }

    @Test func `DESCRIBE shows a null length for a timer with a computed delay`() {
        let timers = say("DESCRIBE", "race")["timers"]?.list ?? []
        #expect(timers.map { $0["length_ms"]?.reply } == [.integer(1_000), .null], "\(timers)")
    }

    @Test func `EVENTS omits an event that is no longer valid, also among those of a thousand regions`() throws {
        let regions = (0..<1_000).map { "r\($0): { initial: 'a', states: { a: { on: { e\($0): 'b' } }, b: {} } }" }
        let states = "{ p: { type: 'parallel', states: { \(regions.joined(separator: ", ")) } } }"
        let wide = try HostUnderTest("{ id: 'wide', states: \(states) }")
        wide.run("NEW s wide")
        #expect(wide.run("EVENTS s").list.count == 1_000)
        wide.run("SEND s e900")
        let events = wide.run("EVENTS s").list.map(\.text)
        #expect(events.count == 999 && !events.contains("e900"), "\(events.count)")
    }

    @Test func `NEW with an unknown flow suggests a similar name or lists the available flows`() {
        #expect(say("NEW", "t", "Race").sentence == "there is no flow 'Race'; did you mean 'race'?")
        #expect(say("NEW", "t", "chess").sentence == "there is no flow 'chess'; available: race")
    }
}
