// The table of flows, tested without sessions.

import BuiltInFlows
import GameFlow
import Seeds
import Testing
import Timers
@testable import Sessions

@Suite struct `The table of flows` {
    /// Returns a version of the flow with this name.
    private func kind(_ name: String) -> FlowKind {
        let definition = FlowDefinition<Turns>(
            name: name, states: ["first", "second"], events: Turns.events, timers: Turns.timers)
        return .flow(definition) { clock, _ in Turns(clock: clock) }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `A flow table agrees with a model as flows are hosted, replaced, removed and retired`(seed: UInt64) throws {
        var random = SeededGenerator.announced("a flow table", seed: seed)
        var table = FlowTable()
        var (hosted, retiring): ([FlowKind], [FlowKind]) = ([], [])
        /// In the order of their first hosting: a flow's number is its index.
        var numbers: [String] = []
        for _ in 0..<1_000 {
            let name = "flow\(Int.random(in: 0..<6, using: &random))"
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let new = kind(name)
                table.host(new)
                if !numbers.contains(name) { numbers.append(name) }
                if let place = hosted.firstIndex(where: { $0.name == name }) {
                    retiring.append(hosted[place])
                    hosted[place] = new
                } else {
                    hosted.append(new)
                }
            case 2:
                guard let place = hosted.firstIndex(where: { $0.name == name }) else { continue }
                table.stopHosting(hosted[place])
                retiring.append(hosted.remove(at: place))
            default:
                guard let gone = retiring.randomElement(using: &random) else { continue }
                table.retire(gone, at: .zero)
                retiring.removeAll { $0 === gone }
            }
            try #require(table.hosted.map(ObjectIdentifier.init) == hosted.map(ObjectIdentifier.init))
            try #require(table.retiring.map(ObjectIdentifier.init) == retiring.map(ObjectIdentifier.init))
            try #require(table[name] === hosted.first { $0.name == name })
            // Sessions of several flow versions exist at once; the version's number tells them apart.
            try #require(Set(table.all.map(\.number)).count == table.all.count)
            for kind in table.all { try #require(numbers[kind.flowNumber] == kind.name) }
            for (number, name) in numbers.enumerated() { try #require(table.newest(ofFlow: number).name == name) }
        }
    }

    @Test func `The newest version of a flow is the hosted one, or a record of the last retired one`() {
        var table = FlowTable()
        let (old, new) = (kind("quiz"), kind("quiz"))
        table.host(old)
        table.host(new)
        #expect(table.newest(ofFlow: 0) === new)
        table.retire(old, at: .zero)
        #expect(table.newest(ofFlow: 0) === new)
        table.stopHosting(new)
        table.retire(new, at: .zero)
        #expect(table.newest(ofFlow: 0) !== new && table.newest(ofFlow: 0).name == "quiz")
        #expect(table.all.isEmpty && table["quiz"] == nil)
    }

    @Test func `The counts of a flow version's entries are kept after it has retired`() throws {
        var table = FlowTable()
        let old = kind("quiz")
        table.host(old)
        let entry = HistoryEntry(
            from: 0, to: 1, cause: HistoryEntry.Cause(.ui), detail: nil, at: .zero, version: 1)
        old.statistics.record(entry)
        old.statistics.record(entry)
        table.host(kind("quiz"))
        #expect(table.count(of: .taken) == 2)
        table.retire(old, at: .zero)
        #expect(table.count(of: .taken) == 2 && old.statistics.count(of: .taken) == 0)
        #expect(table.retiredStatistics["quiz"]?.count(of: .taken, from: .ui) == 2)
    }
}
