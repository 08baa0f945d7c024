// A daemon in this process, in virtual time, with its metrics and health reports.

import GameFlow
import MemoryStore
import Monitoring
import Network
import Posix
import RESP
import Store
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Sessions
@testable import Web

final class MonitoredDaemon {
    let loop: Loop
    let daemon: Daemon
    let client: LocalClient
    let metrics: MetricsText
    let health: Health

    init(_ flows: [FlowKind], in store: (any Store)? = nil) throws {
        loop = try Loop(Timekeeper(VirtualClock()))
        daemon = try Daemon(on: loop, flows: flows)
        client = LocalClient(of: daemon.host)
        metrics = MetricsText(of: daemon.host)
        health = Health(of: daemon.host)
        guard let store else { return }
        try daemon.persist(in: store)
        var isDone = false
        daemon.recover { _ in isDone = true }
        while !isDone { try turn() }
    }

    var sessions: Sessions { daemon.host.sessions }

    @discardableResult
    func say(_ line: String) -> Answer { say(line.split(separator: " ").map(String.init)) }

    @discardableResult
    func say(_ words: [String]) -> Answer { Answer(reply: client.run(words).last ?? .null) }

    /// Runs one turn of the loop, which has work and so does not sleep.
    func turn() throws {
        loop.schedule {}
        try loop.turn()
    }

    func readMetrics() throws -> MetricsReading { try Self.read(metrics) }

    /// Returns the metrics of the daemon with a page, which is created for that and serves nothing.
    func readMetricsWithPage() throws -> MetricsReading {
        let address = try TcpAddress("127.0.0.1:0")
        let socket = try TcpListener.listening(at: address)
        let shown = socket.address
        let page = try WebServer(
            listening: socket.takeDescriptor(), at: shown, WebSettings(address), of: daemon.host, on: loop)
        defer { page.stop() }
        return try Self.read(page.metrics)
    }

    private static func read(_ metrics: MetricsText) throws -> MetricsReading {
        try MetricsReading(String(decoding: metrics.gather(), as: UTF8.self))
    }

    /// Runs turns until the health report is complete.
    func ready() throws -> HealthReport {
        var answer: HealthReport?
        health.ready { answer = $0 }
        _ = try eventually {
            try turn()
            return answer != nil
        }
        return try #require(answer)
    }
}

let nested = """
    { id: "nested", initial: "lobby", events: { go: {}, swap: {}, back: {} },
      states: {
        lobby: { on: { go: "hall" }, after: { "7s": { name: "bored", target: "hall.stage" } } },
        hall: { initial: "stage", on: { back: "lobby" }, after: { "11s": { name: "over", target: "lobby" } },
                states: { stage: { on: { go: "bar", swap: "#both" } }, bar: { on: { go: "stage", swap: "bar" } } } },
        both: { id: "both", type: "parallel", on: { back: "lobby" }, states: {
          lights: { initial: "on", states: { on: { on: { swap: "off" } }, off: { on: { swap: "on" } } } },
          sound: { initial: "low", states: { low: { on: { go: "high" } }, high: { after: { "3s": { name: "calm", target: "low" } } } } } } } } }
    """
