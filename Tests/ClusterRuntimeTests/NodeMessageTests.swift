// Messages between sessions of different nodes arrive exactly once and in order, whichever process ends meanwhile.

import Foundation
import Glibc
import PostgresServer
import TestSupport
import Testing

/// Sends numbers, and counts the numbers that it gets and those that are out of order.
private let caller = """
    { id: "caller", initial: "on", context: { to: "", sent: 0, hits: 0, last: 0, disorder: 0, errors: 0 }, states: { on: { on: {
        go: { actions: [{ assign: { sent: "sent + 1" } },
                        { send: { session: "{{ to }}", event: "hit", data: { n: "sent" } } }] },
        stray: { actions: { send: { session: "{{ to }}", event: "nonsense" } } },
        hit: { actions: { assign: { disorder: "disorder + (event.n == last + 1 and 0 or 1)", last: "event.n", hits: "hits + 1" } } },
        "error.communication": { actions: { assign: { errors: "errors + 1" } } } } } } }
    """

private let parent = """
    { id: "parent", initial: "alone", context: { errors: 0, ends: 0, points: 0 }, states: {
        alone: { on: { go: "with" } },
        with: { invoke: { id: "kid", flow: "kid", context: { points: "4" } }, on: {
            leave: "alone",
            "error.invoke.kid": { actions: { assign: { errors: "errors + 1" } } },
            "done.invoke.kid": { actions: { assign: { ends: "ends + 1", points: "event.points" } } } } } } }
    """

private let kid = """
    { id: "kid", initial: "young", context: { points: 0 }, states: {
        young: { on: { grow: "grown" } }, grown: { type: "final", output: { points: "points + 1" } } } }
    """

let callerFlows = ["caller": caller, "parent": parent, "kid": kid]

/// Two sessions that call each other, one on each node.
func twoCallers(_ cluster: TestCluster) throws -> (String, String) {
    let (ann, bob) = (try cluster.name("ann", on: "a"), try cluster.name("bob", on: "b"))
    try cluster.ask("NEW", ann, "caller", #"{"context":{"to":"\#(bob)"}}"#)
    try cluster.ask("NEW", bob, "caller", #"{"context":{"to":"\#(ann)"}}"#)
    return (ann, bob)
}

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `Messages between nodes` {
    @Test func `Messages between nodes arrive in order, and undeliverable ones return as errors`() throws {
        let cluster = try TestCluster(callerFlows)
        try cluster.start("a", "b")
        let (ann, bob) = try twoCallers(cluster)
        // An outcome is unknown if a node's lease expires meanwhile; with an id the event may be repeated.
        func send(_ event: String, to name: String, _ id: Int) throws {
            #expect(try eventually { try !cluster.ask("SEND", name, event, "ID", "\(id)").isError }, "\(cluster.errors)")
        }
        for id in 0..<100 { for name in [ann, bob] { try send("go", to: name, id) } }
        #expect(cluster.becomes(100, "hits", of: bob) && cluster.becomes(100, "hits", of: ann))
        #expect(try cluster.value("disorder", of: bob) == 0 && cluster.value("disorder", of: ann) == 0)
        try send("stray", to: ann, 100)
        #expect(cluster.becomes(1, "errors", of: ann))
        try cluster.ask("DROP", bob)
        try send("go", to: ann, 101)
        #expect(cluster.becomes(2, "errors", of: ann))
        #expect(try eventually { try cluster.waiting() == "0" })
    }

    @Test func `A child on another node is created, ends and is dropped by messages`() throws {
        let cluster = try TestCluster(callerFlows)
        try cluster.start("a", "b")
        let room = try cluster.name("room", on: "a") { try cluster.owner($0 + "/kid") == "b" }
        try cluster.ask("NEW", room, "parent")
        let young = { eventually { (try? cluster.ask("STATE", room + "/kid"))?["state"]?.text == "young" } }
        try cluster.ask("SEND", room, "go")
        #expect(young())
        try cluster.ask("SEND", room + "/kid", "grow")
        #expect(cluster.becomes(1, "ends", of: room))
        #expect(try cluster.value("points", of: room) == 5)
        try cluster.ask("SEND", room, "leave")
        #expect(eventually { (try? cluster.ask("STATE", room + "/kid"))?.code == .noSession })
        try cluster.ask("SEND", room, "go")
        #expect(young())
        try cluster.ask("DROP", room + "/kid")
        #expect(cluster.becomes(1, "errors", of: room))
        #expect(try cluster.value("ends", of: room) == 1)
    }

    @Test(arguments: [["a", "b"], ["b", "a"]])
    func `A parent that no node's flow fits gets the end of its child on another node once it is restored`(order: [String])
        throws
    {
        let cluster = try TestCluster(callerFlows)
        try cluster.start("a", "b")
        let room = try cluster.name("room", on: "a") { try cluster.owner($0 + "/kid") == "b" }
        try cluster.ask("NEW", room, "parent")
        try cluster.ask("SEND", room, "go")
        #expect(eventually { (try? cluster.ask("STATE", room + "/kid"))?["state"]?.text == "young" })
        let reload = { (definition: String) in
            try cluster.write(definition, as: "parent")
            for node in order { _ = try cluster.node(node).answer("RELOAD") }
        }
        try reload(parent.replacing("with", with: "together"))
        #expect(eventually { (try? cluster.ask("STATE", room))?.code == .setAside })
        try cluster.ask("SEND", room + "/kid", "grow")
        #expect(try eventually { try cluster.waiting() == "0" })
        try reload(parent)
        #expect(cluster.becomes(1, "ends", of: room))
        #expect(try eventually { try cluster.waiting() == "0" })
        #expect(try cluster.value("ends", of: room) == 1 && cluster.value("errors", of: room) == 0)
    }

    /// Each hit of the failpoint is one more message: the first ones go through.
    @Test(arguments: ["after-posting:3", "after-message:3"])
    func `Messages between nodes are neither lost nor doubled when a node dies`(failpoint: String) throws {
        let cluster = try TestCluster(callerFlows)
        try cluster.start("a", "b", failpoint: failpoint)
        let (ann, bob) = try twoCallers(cluster)
        // The node that dies sends or receives.
        let (sender, receiver) = failpoint.hasPrefix("after-posting") ? (ann, bob) : (bob, ann)
        let node = try cluster.node("a")
        var answered = 0
        while answered < 20, node.isRunning {
            let asked = try cluster.node(sender == ann ? "a" : "b")
            guard let answer = try? asked.answer("SEND", sender, "go"), answer.isFromOwner else { break }
            answered += 1
        }
        #expect(node.waitForStatus() < 0)
        let sent = try #require(try cluster.value("sent", of: sender))
        #expect(sent >= 3 && sent - answered <= 1)
        #expect(cluster.becomes(sent, "hits", of: receiver))
        try cluster.ask("SEND", sender, "go")
        #expect(cluster.becomes(sent + 1, "hits", of: receiver))
        #expect(try cluster.value("disorder", of: receiver) == 0)
    }

    @Test func `Messages between nodes are neither lost nor doubled while shards move and the database dies`() throws {
        let server = try PostgresServer(fsync: true)
        let cluster = try TestCluster(callerFlows, on: server)
        try cluster.start("a", "b")
        let (ann, bob) = try twoCallers(cluster)
        for round in 0..<150 {
            for name in [ann, bob] { try cluster.ask("SEND", name, "go") }
            switch round {
            case 30: try cluster.start("c")
            case 60: cluster.stop("b")
            case 90:
                server.kill()
                try server.start()
            case 120: try cluster.start("b")
            default: break
            }
        }
        for (sender, receiver) in [(ann, bob), (bob, ann)] {
            let sent = try #require(try cluster.value("sent", of: sender))
            #expect(sent >= 150)
            let hasAll = cluster.becomes(sent, "hits", of: receiver)
            let hits = try cluster.value("hits", of: receiver)
            #expect(hasAll, "\(sent) were sent, and \(hits ?? -1) have come")
            #expect(try cluster.value("disorder", of: receiver) == 0)
            #expect(try cluster.value("errors", of: sender) == 0)
        }
        #expect(try eventually { try cluster.waiting() == "0" })
    }
}
