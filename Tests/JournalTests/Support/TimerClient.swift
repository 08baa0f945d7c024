// A client that lets timers fire one at a time, and knows how many must have fired after a crash.

import Foundation
import Seeds
import TestSupport
import Testing

final class TimerClient: @unchecked Sendable {
    private static let names = ["clock-0", "clock-1", "clock-2"]

    private var random: SeededGenerator
    /// How often acknowledged requests have made each timer fire, and the timer of the request without a reply.
    private var fired: [Int]
    private var inFlight: Int?

    init(_ random: SeededGenerator) {
        self.random = random
        fired = Self.names.map { _ in 0 }
    }

    func prepare(_ client: TestClient) throws {
        for name in Self.names { #expect(try client.ask("NEW \(name) turns").text == "first") }
    }

    /// Until the daemon is gone, leaves a timer at most 50 ms and waits until it has fired.
    func play(_ client: TestClient) {
        do {
            while true { try letFire(Int.random(in: Self.names.indices, using: &random), client) }
        } catch {
            return
        }
    }

    private func letFire(_ number: Int, _ client: TestClient) throws {
        let name = Self.names[number]
        let remaining = try remaining(name, client)
        let left = Int.random(in: 0...50, using: &random)
        inFlight = number
        guard try client.ask("EXTEND \(name) turn \(left - remaining)ms").integer != nil else { throw NoAnswer() }
        inFlight = nil
        fired[number] += 1
        guard try eventually({ try version(name, client) >= fired[number] }) else { throw NoAnswer() }
    }

    private func remaining(_ name: String, _ client: TestClient) throws -> Int {
        let timers = try client.ask("TIMERS \(name)").list
        guard let remaining = timers.first?["remaining_ms"]?.integer else { throw NoAnswer() }
        return remaining
    }

    private func version(_ name: String, _ client: TestClient) throws -> Int {
        guard let version = try client.ask("STATE \(name)")["version"]?.integer else { throw NoAnswer() }
        return version
    }

    /// Waits until all such timers have fired, and finds each firing once.
    func check(_ client: TestClient, _ comment: String) throws {
        for (number, name) in Self.names.enumerated() {
            // The timer to fire has less than half a minute left; all others get more, so that they do not fire.
            let isSettled = try eventually { try remaining(name, client) > 10_000 }
            #expect(isSettled, "\(comment): \(name) does not fire")
            let found = try SessionSnapshot(name, client)
            let most = fired[number] + (inFlight == number ? 1 : 0)
            #expect((fired[number]...most).contains(found.version), "\(comment): \(name) fired \(found.version) times")
            let count = found.lines.reduce(0) { $0 + $1.times }
            #expect(count == found.version, "\(comment): \(name) has \(count) firings")
            #expect(found.lines.allSatisfy { $0.source == "timer" && $0.timer == "turn" }, "\(comment): \(name)")
            #expect(zip(found.lines, found.lines.dropFirst()).allSatisfy { $0.to == $1.from }, "\(comment): \(name)")
            fired[number] = found.version
            _ = try client.ask("EXTEND \(name) turn 10m")
        }
        inFlight = nil
    }
}
