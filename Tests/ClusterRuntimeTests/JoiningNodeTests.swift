// A node that joins a cluster redirects the clients that reach it.

import Foundation
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected, "\(PostgresPrograms.absence)"))
struct `A node that joins a cluster` {
    @Test func `A new node redirects clients at once if their shards stay where they are`() throws {
        let cluster = try TestCluster([:])
        try cluster.start("b")
        try cluster.begin("a")
        let node = try cluster.node("a")
        try #require(node.waitUntilReplying(), "\(node.errors)")
        let names = (0..<32).map { "room\($0)" }
        var codes: [String: Set<String>] = [:]
        let end = Date(timeIntervalSinceNow: 4)
        while Date() < end {
            for name in names {
                if let code = try node.answer("STATE", name).code?.text { codes[name, default: []].insert(code) }
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
        try cluster.settle()
        let others = try names.filter { try cluster.owner($0) == "b" }
        #expect(!others.isEmpty && others.count < names.count)
        for name in others {
            let seen = codes[name] ?? []
            #expect(seen.contains("MOVED") && !seen.contains("TRYAGAIN"), "\(name): \(seen)")
        }
    }
}
