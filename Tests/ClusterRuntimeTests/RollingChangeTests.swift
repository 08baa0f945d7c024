// A flow file changes on one node after the other, while sessions are in states that only some of the definitions have.

import Foundation
import PostgresServer
import TestSupport
import Testing

private func door(_ states: String) -> String { "{ id: \"door\", initial: \"closed\", states: { \(states) } }" }

private let first = door(#"closed: { on: { open: "ajar" } }, ajar: { on: { shut: "closed" } }"#)
/// Adds a state.
private let wider = door(
    #"closed: { on: { open: "ajar", bolt: "bolted" } }, ajar: { on: { shut: "closed" } }, bolted: { on: { free: "closed" } }"#)
/// Removes a state of the first.
private let narrower = door(#"closed: { on: { bolt: "bolted" } }, bolted: { on: { free: "closed" } }"#)

/// Three nodes, and sessions whose states the test knows.
private final class DoorCluster {
    let cluster: TestCluster
    private(set) var states: [String: String] = [:]

    init(_ nodes: String..., options: [String] = []) throws {
        cluster = try TestCluster(["door": first], options: options)
        for node in nodes { try cluster.begin(node) }
        try cluster.settle()
        for number in 0..<48 {
            let name = "door-\(number)"
            try cluster.ask("NEW", name, "door")
            if number % 2 == 0 { try cluster.ask("SEND", name, "open") }
            states[name] = number % 2 == 0 ? "ajar" : "closed"
        }
    }

    /// The node is stopped in order, and starts with this definition.
    func restart(_ node: String, with definition: String, _ place: SourceLocation = #_sourceLocation) throws {
        cluster.stop(node)
        try cluster.write(definition, as: "door")
        try cluster.begin(node)
        let process = try cluster.node(node)
        try #require(process.waitUntilReplying(), "\(process.errors)", sourceLocation: place)
    }

    /// The node reads this definition while it runs.
    func reload(_ node: String, with definition: String, _ place: SourceLocation = #_sourceLocation) throws {
        try cluster.write(definition, as: "door")
        let reply = try cluster.node(node).answer("RELOAD")
        let lines = reply.list.compactMap(\.text)
        let log = try cluster.node(node).errors
        #expect(lines.contains { $0.hasPrefix("door: changed") }, "\(reply)\n\(log)", sourceLocation: place)
    }

    /// Bolts every closed session whose node has the wider definition. Returns how many are bolted.
    func bolt() throws -> Int {
        for (name, state) in states where state == "closed" {
            try cluster.ask("SEND", name, "bolt")
            states[name] = try cluster.ask("STATE", name)["state"]?.text
        }
        return states.values.count { $0 == "bolted" }
    }

    /// Expects that all sessions reply with their states, and that only those in the states `aside` are set aside.
    func expect(aside: Set<String> = [], _ place: SourceLocation = #_sourceLocation) throws {
        for (name, state) in states {
            var answer: Answer?
            let isRight = eventually {
                answer = try? cluster.ask("STATE", name)
                return aside.contains(state) ? answer?.code == .setAside : answer?["state"]?.text == state
            }
            #expect(isRight, "'\(name)' in '\(state)': \(String(describing: answer))", sourceLocation: place)
        }
    }
}

extension DoorCluster {
    /// Whether so many rows show that their sessions are set aside, once the tables are up to date.
    fileprivate func hasMarked(_ count: Int) throws -> Bool {
        let marked = "timers ->> 0 LIKE '%--expire%' AND timers -> 0 ->> 'paused' = 'true'"
        return try eventually {
            try cluster.server.ask("SELECT count(*) FROM sessions WHERE \(marked)", in: cluster.database) == "\(count)"
        }
    }
}

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A rolling change of a flow file` {
    private static let orders = [
        ["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"], ["b", "c", "a"], ["c", "a", "b"], ["c", "b", "a"],
    ]

    @Test(arguments: orders) func `A rolling change sets aside no session that any node can serve`(order: [String]) throws {
        let doors = try DoorCluster("a", "b", "c")
        for node in order {
            try doors.restart(node, with: wider)
            try doors.expect()
            let hasShards = try eventually { try (0..<48).contains { try doors.cluster.owner("door-\($0)") == node } }
            #expect(hasShards, "the node gets no shard")
            let bolted = try doors.bolt()
            #expect(bolted > 0)
        }
        try doors.expect()
        for (number, node) in order.enumerated() {
            try doors.restart(node, with: narrower)
            let process = try doors.cluster.node(node)
            let declines = {
                eventually { process.errors.contains(" goes to another node: the definitions here do not fit ") }
            }
            #expect(number > 0 || declines(), "it serves what it cannot restore")
            try doors.expect(aside: number == 2 ? ["ajar"] : [])
        }
        try doors.restart(order[0], with: wider)
        try doors.expect()
    }

    @Test func `A RELOAD of one node hands over shards that do not fit, and CLUSTER STATUS shows it`() throws {
        let doors = try DoorCluster("a", "b")
        try doors.reload("a", with: narrower)
        try doors.expect()
        let differing = try doors.cluster.node("b").answer("CLUSTER", "STATUS")["differing_flows"]?.list ?? []
        #expect(differing.first?["flow"]?.text == "door" && differing.first?["definitions"]?.list.count == 2, "\(differing)")
        try doors.reload("b", with: narrower)
        try doors.expect(aside: ["ajar"])
        let status = try doors.cluster.node("b").answer("CLUSTER", "STATUS")
        #expect(status["differing_flows"]?.list.isEmpty == true)
        try doors.reload("b", with: first)
        try doors.expect()
    }

    @Test func `A shard has an owner though the only node that fits dies, and is served once it is back`() throws {
        let doors = try DoorCluster("a", "b")
        try doors.reload("a", with: narrower)
        try doors.expect()
        try doors.cluster.node("b").killIt()
        doors.cluster.forget("b")
        try doors.expect(aside: ["ajar"])
        try doors.cluster.write(first, as: "door")
        try doors.cluster.begin("b")
        try doors.expect()
    }

    /// Otherwise they would expire at once if the change takes longer.
    @Test func `The time in which a node sets sessions aside is no idle time`() throws {
        let doors = try DoorCluster("a", options: ["--expire", "door=1h"])
        try doors.restart("a", with: narrower)
        try doors.expect(aside: ["ajar"])
        #expect(try doors.hasMarked(24))
        try doors.restart("a", with: first)
        try doors.expect()
        #expect(try doors.hasMarked(0), "later restarts would give them their full time again")
    }
}
