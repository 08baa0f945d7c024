// The client library with a cluster of two real nodes and a real database. One node ends.

import Foundation
import GamedClient
import PostgresServer
import TestSupport
import Testing

@Suite(.enabled(if: PostgresPrograms.areExpected), .timeLimit(.minutes(3)))
struct `A client of the library in a cluster` {
    private let server: PostgresServer
    private let nodes: [Node]

    private struct Node {
        let daemon: RunningDaemon
        let port: UInt16
    }

    init() throws { try self.init([]) }

    private init(_ options: [String]) throws {
        server = try PostgresServer(fsync: false)
        let store = server.uri(try server.newDatabase())
        let made = try run(gamedPath, ["--store", store, "--init", "--shards", "4", "--config", "none"])
        try #require(made.status == 0, "\(made.output)")
        nodes = try (0..<2).map { _ in try Self.start(store, options) }
        // Waits until both nodes own shards.
        let ports = nodes.map { "\($0.port)" }
        try #require(try eventually { try ports.allSatisfy(Self.slots(at: nodes[0].port).contains) })
    }

    private static func slots(at port: UInt16) throws -> String {
        try Program(gamectlPath, ["--connect", "127.0.0.1:\(port)", "raw", "CLUSTER", "SLOTS"]).output
    }

    private static func start(_ store: String, _ options: [String]) throws -> Node {
        let (daemon, port) = try RunningDaemon.overTCP(
            ["--store", store] + options, unprobed: "a node refuses commands before it has a lease")
        return Node(daemon: daemon, port: port)
    }

    private func client(_ node: Int = 0) throws -> Gamed {
        try Gamed(host: "127.0.0.1", port: nodes[node].port, timeout: .seconds(30))
    }

    /// Creates 20 sessions, which are distributed over both nodes.
    private func makeRooms(_ gamed: Gamed) async throws -> [GamedSession] {
        var rooms: [GamedSession] = []
        for number in 0..<20 { rooms.append(try await gamed.create("room-\(number)", flow: "turns")) }
        return rooms
    }

    @Test func `One client reaches the sessions of both nodes with requests, views and events`() async throws {
        let gamed = try client()
        let rooms = try await makeRooms(gamed)
        for room in rooms {
            var (views, events) = (room.views.makeAsyncIterator(), room.events.makeAsyncIterator())
            #expect(await views.next()?.state == "first")
            #expect(try await room.send("pass").state == "second")
            #expect(await events.next()?.to == "second")
            var view = await views.next()
            while let next = view, next.version < 1 { view = await views.next() }
            #expect(view?.state == "second")
            let states = try await room.send(together: [.init("pass"), .init("pass")]).map { try? $0.get().state }
            #expect(states == ["first", "second"])
        }
        try await rooms[0].drop()
        let error = await #expect(throws: GamedError.self) { try await rooms[0].view() }
        guard case .refused(let refused)? = error else { Issue.record("\(String(describing: error))"); return }
        #expect(refused.code.text == "NOSESSION")
        await gamed.close()
    }

    @Test func `A session's views end when it is dropped, whichever node owns it`() async throws {
        let gamed = try client()
        for room in try await makeRooms(gamed).prefix(8) {
            var views = room.views.makeAsyncIterator()
            _ = await views.next()
            try await room.drop()
            #expect(await views.next() == nil)
        }
        await gamed.close()
    }

    @Test func `A subscription over the limit of a node ends, whichever node it is`() async throws {
        let cluster = try Self(["--limit", "subscriptions=2"])
        let gamed = try cluster.client()
        let readers = try await makeRooms(gamed).map { room in
            Task { () -> AsyncStream<SessionView>? in
                let views = room.views
                var reader = views.makeAsyncIterator()
                return await reader.next() == nil ? nil : views
            }
        }
        var followed = 0
        for reader in readers where await reader.value != nil { followed += 1 }
        #expect(followed == 4, "two at each node")
        await gamed.close()
    }

    @Test(arguments: [SIGTERM, SIGKILL])
    func `No event is lost or accepted twice after a node ends, and event streams continue`(signal: Int32) async throws {
        let gamed = try client(0)
        let rooms = try await makeRooms(gamed)
        var readers: [Task<[Int], Never>] = []
        for room in rooms {
            let events = room.events
            readers.append(
                Task {
                    var versions: [Int] = []
                    for await event in events where event.what == "taken" {
                        versions.append(event.version ?? -1)
                        if versions.count == 4 { break }
                    }
                    return versions
                })
            for _ in 0..<2 { try await room.send("pass") }
        }
        kill(nodes[1].daemon.processID, signal)
        for (number, room) in rooms.enumerated() {
            if number % 2 == 0 {
                for result in try await room.send(together: [.init("pass"), .init("pass")]) { _ = try result.get() }
            } else {
                for _ in 0..<2 { try await room.send("pass") }
            }
            #expect(try await room.view().version == 4)
        }
        for reader in readers { #expect(await reader.value == [1, 2, 3, 4]) }
        await gamed.close()
    }
}
