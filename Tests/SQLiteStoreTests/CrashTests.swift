// A process that crashes at any moment loses no acknowledged change, and leaves none twice or in part.

import Foundation
import Seeds
import Store
import TestSupport
import Testing
import TinyJournal

@Suite struct `A store after a crash` {
    /// A crash of the process leaves the files as they are, so a copy of them simulates it.
    @Test(arguments: Durability.allCases)
    func `A crash between any two steps loses nothing`(durability: Durability) throws {
        var random = SeededGenerator.announced("after a crash between any two steps", seed: 20)
        var folder = try Folder()
        var journal = try TinyJournal(folder.data, durability, capacity: 30)
        for step in 0..<150 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5: try journal.put(changes(step, &random))
            case 5: try journal.materialize()
            case 6: try journal.materialize(rowsPerPiece: 3)
            case 7: _ = try journal.store.maintain([.only])
            case 8: try journal.store.sync()
            default:
                if Bool.random(using: &random) { try journal.store.close() }
                let states = journal.states
                folder = try folder.crashed()
                journal = try TinyJournal(folder.data, durability, capacity: 30)
                #expect(journal.states == states)
            }
            let crashed = try folder.crashed()
            let found = try TinyJournal(crashed.data, durability, capacity: 30)
            try #require(found.states == journal.states, "step \(step)")
            try #require(found.newestSerials == journal.newestSerials, "step \(step)")
        }
    }

    private func changes(_ step: Int, _ random: inout SeededGenerator) -> [(id: Int64, state: String?)] {
        (0..<Int.random(in: 1...5, using: &random)).map { _ in
            let size = Int.random(in: 0..<20, using: &random) == 0 ? 30_000 : 10
            let state = String(repeating: "s\(step)", count: size)
            return (Int64.random(in: 0..<20, using: &random), Int.random(in: 0..<4, using: &random) == 0 ? nil : state)
        }
    }

    /// However little of the log reached the disk, the store is in one state of the past: no mixture, and no later state with less of the log.
    @Test func `A store whose log was torn by a crash is found in an earlier state`() throws {
        var random = SeededGenerator.announced("a torn log", seed: 21)
        let folder = try Folder()
        let journal = try TinyJournal(folder.data, .everysec)
        var moments = [journal.states]
        for step in 0..<25 {
            try journal.put(changes(step, &random))
            moments.append(journal.states)
            if step % 6 == 5 { try journal.materialize(rowsPerPiece: 4) }
        }
        let log = try bytes(of: folder.log)
        let frame = 4_096 + 24
        let cuts =
            Array(stride(from: 32, through: log.count, by: frame))
            + (0..<60).map { _ in Int.random(in: 0..<log.count, using: &random) }
        var latest = 0
        for cut in cuts.sorted() {
            let torn = try folder.crashed()
            try write(log.prefix(cut), to: torn.log)
            let found = try TinyJournal(torn.data, .everysec, boot: "b008").states
            let moment = try #require(moments.lastIndex(of: found), "cut at \(cut) of \(log.count): a state that never was")
            #expect(moment >= latest, "cut at \(cut): earlier than with less of the log")
            latest = moment
        }
        #expect(latest == moments.count - 1)
    }

    private static let failpoints = [
        "during-creation", "before-commit", "before-commit:3", "after-commit", "after-commit:4", "during-materialize",
        "during-materialize:2", "after-materialize", "after-materialize:2", "during-pruning", "after-checkpoint",
        "during-recovery",
    ]

    /// The process kills itself at the failpoint. A reply that was sent before is true.
    @Test(arguments: failpoints)
    func `A crash at any failpoint loses no acknowledged change`(failpoint: String) throws {
        let folder = try Folder()
        let before = failpoint == "during-creation" ? [] : try fill(folder)
        let probe = try StoreProbe(["GAMED_FAILPOINT": failpoint])
        var acknowledged = before
        var unanswered = ""
        for line in ["open \(folder.data) always 20"] + Self.script {
            guard let answer = probe.ask(line) else {
                unanswered = line
                break
            }
            #expect(answer.hasPrefix("ok"), "\(line): \(answer)")
            acknowledged.append(line)
        }
        try #require(unanswered != "", "\(failpoint) was never reached")
        #expect(probe.wasKilled)
        let found = try TinyJournal(folder.data, capacity: 20)
        #expect([expected(acknowledged), expected(acknowledged + [unanswered])].contains(found.states))
        let serials = found.newestSerials
        #expect(serials == Array((serials.first ?? 0)..<(serials.first ?? 0) + Int64(serials.count)), "a gap in the history")
        try found.store.close()
    }

    private static let script =
        (0..<6).flatMap { ["put \($0) a\($0)", "put 0 b\($0)", "materialize 2", "put \($0 + 10) c\($0) 5000"] } + [
            "maintain", "close",
        ]

    /// Writes more history than will be kept, and a change that is recovered from the log.
    private func fill(_ folder: Folder) throws -> [String] {
        let probe = try StoreProbe()
        #expect(probe.open(folder, capacity: 500) == "ok 0")
        let lines = (0..<60).map { "put 99 x\($0)" }
        #expect(probe.ask(all: lines + ["materialize", "put 98 last"]).allSatisfy { $0 == "ok " })
        probe.killIt()
        return lines + ["put 98 last"]
    }

    private func expected(_ lines: [String]) -> [Int64: String] {
        var states: [Int64: String] = [:]
        for words in lines.map({ $0.split(separator: " ") }) where words.first == "put" {
            let size = words.count > 3 ? Int(words[3]) ?? 0 : 0
            states[Int64(words[1]) ?? 0] = words[2] + String(repeating: ".", count: size)
        }
        return states
    }
}
