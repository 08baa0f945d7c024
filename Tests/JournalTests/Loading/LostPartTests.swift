// A start with a changed flow logs the running timers and the variables that the flow lacks.

import BuiltInFlows
import GameFlow
import MemoryStore
import Store
import TestSupport
import Testing
import Timers
@testable import Commands
@testable import EventLoop
@testable import GameDaemon
@testable import Journal
@testable import Logging
@testable import Sessions

@Suite struct `A start with a flow that lacks parts of its sessions` {
    /// A start whose warnings are kept.
    private final class Start {
        private final class Lines { var all: [String] = [] }

        private let lines: Lines
        let daemon: Daemon
        var warnings: [String] { lines.all.filter { $0.contains(" warning: ") } }

        init(_ flows: [FlowKind]) throws {
            let lines = Lines()
            self.lines = lines
            let log = Log(level: .warning, style: .dated) { line in
                lines.all.append(String(decoding: line, as: UTF8.self))
                return true
            }
            daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: flows, log: log)
        }
    }

    /// A quiz with a timer of this name.
    private func quiz(_ timer: String) throws -> FlowKind {
        try .chart(
            text: """
                { id: "quiz", initial: "asking",
                  states: { asking: { after: { "1h": { name: "\(timer)", target: "over" } } }, over: {} } }
                """)
    }

    /// A store with sessions of the quiz, whose timer is running, and a session of the flow `turns`.
    private func stored(_ count: Int) throws -> MemoryStore {
        let store = MemoryStore()
        let daemon = try Start([try quiz("answer"), .flow(Turns.self)]).daemon
        try daemon.recover(from: store)
        daemon.loop.schedule {
            for number in 0..<count { _ = try? daemon.begin("room-\(number)", flow: "quiz") }
            _ = try? daemon.begin("other", flow: "turns")
        }
        try daemon.loop.turn()
        try #require(daemon.sessions.count == count + 1)
        try daemon.end()
        try #require(store.loggedBatches == 0, "the next start writes nothing")
        return store.successor()
    }

    @Test func `A start names the first ten ended timers of a flow, and counts the others`() throws {
        let start = try Start([try quiz("patience"), .flow(Turns.self)])
        try start.daemon.recover(from: try stored(12))
        let warnings = start.warnings
        #expect(warnings.count == 11, "\(warnings)")
        #expect(warnings.prefix(10).allSatisfy { $0.contains("its timer 'answer' has no counterpart in the new file") })
        #expect(warnings.last?.hasSuffix("flow 'quiz': 2 more timers without a counterpart in the new file end\n") == true)
        try start.daemon.end()
    }

    @Test func `A start names each variable that is lost, with its value`() throws {
        func score(_ context: String) throws -> FlowKind {
            try .chart(text: "{ id: 'score', context: { \(context) }, states: { on: {} } }")
        }
        let store = MemoryStore()
        let daemon = try Start([try score("points: 0, name: ''")]).daemon
        try daemon.recover(from: store)
        daemon.loop.schedule { _ = try? daemon.begin("red", flow: "score", ["context": ["points": 2]]) }
        try daemon.loop.turn()
        try daemon.end()
        let start = try Start([try score("name: ''")])
        try start.daemon.recover(from: store.successor())
        let warning = "session 'red' in state 'on': its variable 'points' has no counterpart in the new file and is lost"
        #expect(start.warnings.count == 1, "\(start.warnings)")
        #expect(start.warnings.first?.hasSuffix("\(warning), with the value 2\n") == true, "\(start.warnings)")
        try start.daemon.end()
    }

    @Test func `A start names a value that many sessions have lost once, and counts these sessions`() throws {
        func score(_ context: String) throws -> FlowKind {
            try .chart(text: "{ id: 'score', context: { \(context) }, states: { on: {} } }")
        }
        let store = MemoryStore()
        let daemon = try Start([try score("points: 10")]).daemon
        try daemon.recover(from: store)
        daemon.loop.schedule {
            for number in 0..<40 { _ = try? daemon.begin("s\(number)", flow: "score") }
            _ = try? daemon.begin("red", flow: "score", ["context": ["points": 2]])
        }
        try daemon.loop.turn()
        try daemon.end()
        let start = try Start([try score("")])
        try start.daemon.recover(from: store.successor())
        let warnings = start.warnings
        #expect(warnings.count == 2, "\(warnings)")
        #expect(warnings.first?.hasSuffix("is lost, with the value 10, as in 39 other sessions\n") == true, "\(warnings)")
        #expect(warnings.last?.contains("session 'red'") == true && warnings.last?.hasSuffix("with the value 2\n") == true)
        try start.daemon.end()
    }

    /// The session whose flow is gone cannot be moved out of the way on a full disk.
    @Test func `A start that fails after it has restored sessions does not log ended timers, and the next start does`() throws {
        let store = try stored(1)
        store.trouble = MemoryStore.Trouble(failure: StoreError(.full, "the disk is full"))
        let failing = try Start([try quiz("patience")])
        #expect(throws: StoreError.self) { try failing.daemon.recover(from: store) }
        #expect(failing.warnings == [])
        let next = try Start([try quiz("patience")])
        try next.daemon.recover(from: store.successor())
        let warning = "session 'room-0' in state 'asking': its timer 'answer' has no counterpart in the new file"
        #expect(next.warnings.count == 1 && next.warnings.first?.contains(warning) == true, "\(next.warnings)")
        try next.daemon.end()
    }
}
