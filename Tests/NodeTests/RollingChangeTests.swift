// A flow file that is changed on one node after the other.

import Foundation
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A flow file that is changed node by node` {
    private static let old =
        #"{ id: "door", initial: "shut", states: { shut: { on: { go: "old" } }, old: { on: { go: "shut" } } } }"#
    private static let new =
        #"{ id: "door", initial: "shut", states: { shut: { on: { go: "new" } }, new: { on: { go: "shut" } } } }"#
    private static let orders = [
        ["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"], ["b", "c", "a"], ["c", "a", "b"], ["c", "b", "a"],
    ]
    private static let names = (0..<12).map { "door\($0)" }

    private func change(_ cluster: TestCluster) throws {
        try Self.new.write(toFile: "\(cluster.folder.path)/flows/door.json5", atomically: true, encoding: .utf8)
    }

    private func isServed(_ name: String, _ cluster: TestCluster, as states: Set<String>) -> Bool {
        eventually(30) { (try? cluster.ask("STATE", name))?["state"]?.text.map(states.contains) ?? false }
    }

    @Test(arguments: orders)
    func `sets no session aside that another node can serve`(order: [String]) throws {
        let cluster = try TestCluster(["door": Self.old])
        try cluster.start("a", "b", "c")
        for (number, name) in Self.names.enumerated() {
            try cluster.ask("NEW", name, "door")
            if number % 3 == 0 { try cluster.ask("SEND", name, "go") }
        }
        try change(cluster)
        for (place, node) in order.enumerated() {
            cluster.stop(node)
            try cluster.begin(node)
            #expect(try cluster.node(node).isUp())
            for (number, name) in Self.names.enumerated() {
                if number % 3 == 0, place == 2 { continue }
                #expect(isServed(name, cluster, as: ["shut", "old", "new"]), "\(name) after the restart of \(order[...place])")
                // Some enter the state that only the new definition has.
                if number % 3 == 1, place < 2 { try cluster.ask("SEND", name, "go") }
            }
        }
        for (number, name) in Self.names.enumerated() where number % 3 == 0 {
            let isAside = eventually(30) { (try? cluster.ask("STATE", name))?.code == .setAside }
            #expect(isAside, "no node has the state of \(name) any more")
        }
    }

    @Test func `moves sessions that a RELOAD would set aside to nodes whose definitions fit, and shows the difference`() throws
    {
        let cluster = try TestCluster(["door": Self.old])
        try cluster.start("a", "b")
        for name in Self.names {
            try cluster.ask("NEW", name, "door")
            try cluster.ask("SEND", name, "go")
        }
        try change(cluster)
        #expect(try !cluster.node("a").ask("RELOAD").isError)
        for name in Self.names { #expect(isServed(name, cluster, as: ["old"]), "\(name)") }
        let shown = try run(
            productsDirectory.appending(path: "gamectl").path, ["--socket", try cluster.node("b").socket, "cluster"])
        #expect(shown.output.contains("nodes define 'door' differently: "), "\(shown.output)")
        #expect(try !cluster.node("b").ask("RELOAD").isError)
        for name in Self.names {
            let isAside = eventually(30) { (try? cluster.ask("STATE", name))?.code == .setAside }
            #expect(isAside, "no node has the state of \(name) any more")
        }
    }
}
