// The contents of random programs: flow files of each size, and repeated ids.

import Statecharts
import GameFlow
import Seeds
import Testing
@testable import Simulation

@Suite struct `A program of the daemon's fuzzer` {
    @Test(arguments: ChartSize.all) func `A fuzzer program's flow file of each size has no errors`(size: ChartSize) throws {
        let file = FlowFile(bytes: Array(size.text.utf8), path: "fuzz.json5")
        #expect(file.definition != nil, "\(file.report)")
        #expect(file.definition?.events.count == size.events + 2)
    }

    @Test func `A fuzzer program knows states and events of each flow that it uses`() throws {
        for kind in try HostedCharts.definitions(ChartSize()).map({ try FlowKind.chart($0) }) {
            let known = try #require(HostedFlow.named(kind.name))
            #expect(!known.shapes.isEmpty && !known.events.isEmpty)
        }
    }

    @Test func `A fuzzer program repeats ids, and sends events to flows of files`() {
        var random = SeededGenerator(seed: 1)
        var (repeats, charts) = (0, 0)
        for _ in 0..<100 {
            let bytes = (0..<400).map { _ in UInt8.random(in: 0...255, using: &random) }
            var known: Set<[[UInt8]]> = []
            for case .say(_, let requests, _) in Program(reading: bytes).steps {
                for words in requests.map(\.words) where words.count > 2 && words[0].elementsEqual("SEND".utf8) {
                    if ["c", "d", "k", "l"].contains(String(decoding: words[1], as: UTF8.self)) { charts += 1 }
                    guard let id = SendWords(words)?.id, !known.insert([words[1], Array(id.utf8)]).inserted else { continue }
                    repeats += 1
                }
            }
        }
        #expect(repeats > 30 && charts > 50, "\(repeats) repeated ids, \(charts) events")
    }
}
