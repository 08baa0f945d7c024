// The client library over connections that are cut.

import Foundation
import GamedClient
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct `A client whose connection breaks` {
    /// Clients reach this daemon through a proxy that cuts connections.
    private let daemon: RunningDaemon
    private let port: Int

    init() throws {
        let (daemon, port) = try RunningDaemon.overTCP()
        (self.daemon, self.port) = (daemon, Int(port))
    }

    /// Sends three events over a connection that is cut once, after `bytes` of a direction. Returns the number of bytes in that direction.
    static func play(
        _ name: String, at port: Int, _ tls: GamedTLS? = nil, cut direction: Proxy.Direction, after bytes: Int?
    ) async throws -> Int {
        let proxy = try Proxy(to: port)
        let gamed = try Gamed(host: "127.0.0.1", port: UInt16(proxy.port), tls: tls)
        if let bytes { proxy.set(direction, .cut(after: bytes)) }
        let mender = Task {
            while proxy.connections < 2, !Task.isCancelled { try await Task.sleep(for: .milliseconds(1)) }
            proxy.pass()
        }
        defer { mender.cancel() }
        let room = try await gamed.session(name)
        let begun = try await room.view().version
        let events = room.events
        for _ in 1...3 { try await room.send("pass") }
        #expect(try await room.view().version == begun + 3, "\(direction) after \(bytes ?? -1)")
        var numbers: [Int] = []
        for await event in events where event.what == "taken" {
            numbers.append(event.version ?? -1)
            if numbers.count == 3 { break }
        }
        #expect(numbers == [begun + 1, begun + 2, begun + 3], "\(direction) after \(bytes ?? -1)")
        await gamed.close()
        return proxy.count(direction)
    }

    @Test func `An app sees that its connection is made, lost for a reason, made again, and closed`() async throws {
        let proxy = try Proxy(to: port)
        let gamed = try Gamed(host: "127.0.0.1", port: UInt16(proxy.port))
        var states = gamed.connectionStates.makeAsyncIterator()
        #expect(await states.next() == .disconnected(because: nil))
        // Its reader is why the client connects again.
        let views = try await gamed.create("seen", flow: "turns").views
        #expect(await states.next() == .connected)
        proxy.refuse()
        proxy.cut()
        guard case .disconnected(let reason?)? = await states.next() else { Issue.record("no reason"); return }
        #expect(!reason.isEmpty && !reason.contains("--"), "\(reason)")
        proxy.pass()
        while let state = await states.next(), state != .connected {}
        await gamed.close()
        #expect(await states.next() == nil)
        withExtendedLifetime(views) {}
    }

    @Test func `The events of a dropped session's name begin with the next session of that name, over a lost connection`()
        async throws
    {
        let main = try Gamed(host: "127.0.0.1", port: UInt16(port))
        let room = try await main.create("room", flow: "turns")
        let proxy = try Proxy(to: port)
        let gamed = try Gamed(host: "127.0.0.1", port: UInt16(proxy.port))
        let session = try await gamed.session("room")
        try await room.drop()
        var events = session.events.makeAsyncIterator()
        // The subscription is sent before it.
        await #expect(throws: GamedError.self) { try await session.view() }
        proxy.refuse()
        proxy.cut()
        try await main.create("room", flow: "turns").send("pass")
        proxy.pass()
        let first = [await events.next(), await events.next()]
        #expect(first.map { $0?.what } == ["begun", "taken"] && first[0]?.life != nil && first[0]?.life == first[1]?.life)
        await gamed.close()
    }

    @Test(arguments: [Proxy.Direction.toServer, .toClient])
    func `Events sent together are accepted once each, wherever the connection is cut`(
        direction: Proxy.Direction
    ) async throws {
        let room = try await Gamed(host: "127.0.0.1", port: UInt16(port)).create("room", flow: "turns")
        var (place, version) = (1, 0)
        while true {
            let proxy = try Proxy(to: port)
            proxy.set(direction, .cut(after: place))
            let gamed = try Gamed(host: "127.0.0.1", port: UInt16(proxy.port))
            let mender = Task {
                while proxy.connections < 2, !Task.isCancelled { try await Task.sleep(for: .milliseconds(1)) }
                proxy.pass()
            }
            let results = try await gamed.session("room").send(together: Array(repeating: .init("pass"), count: 3))
            mender.cancel()
            version += 3
            #expect(results.count == 3 && results.allSatisfy { (try? $0.get()) != nil })
            #expect(try await room.view().version == version, "\(direction) after \(place)")
            await gamed.close()
            if proxy.connections < 2 { break }
            place += 7
        }
        #expect(place > 100)
    }

    @Test(arguments: [Proxy.Direction.toServer, .toClient])
    func `No event is lost or accepted twice, wherever the connection is cut`(direction: Proxy.Direction) async throws {
        let main = try Gamed(host: "127.0.0.1", port: UInt16(port))
        let workers = 4
        for worker in 0..<workers { _ = try await main.create("room-\(worker)", flow: "turns") }
        let bytes = try await Self.play("room-0", at: port, cut: direction, after: nil)
        #expect(bytes > 200)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask { [port] in
                    for place in stride(from: worker + 1, through: bytes, by: workers) {
                        _ = try await Self.play("room-\(worker)", at: port, cut: direction, after: place)
                    }
                }
            }
            try await group.waitForAll()
        }
        await main.close()
    }
}
