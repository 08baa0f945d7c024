// Sessions by name and slot, against a dictionary.

import BuiltInFlows
import Foundation
import GameFlow
import RESP
import Seeds
import Testing
import Timers
@testable import Sessions

@Suite struct `The table of sessions` {
    private let setup = TypedFlowKind<Turns>()
    private let keeper = Timekeeper(VirtualClock())

    private func newMachine() throws -> AnyMachine {
        try Machine(on: keeper, kind: setup)
    }

    private func argument<Result>(_ name: String, _ body: (Argument) -> Result) -> Result {
        Array(name.utf8).withUnsafeBytes { body(Argument($0)) }
    }

    /// Names of every length, many of them alike.
    private func name(_ number: Int) -> String {
        let long = String(repeating: "x", count: number % 40)
        return number % 3 == 0 ? "\(long)\(number)" : number % 3 == 1 ? "key:\(number)" : "\(number)\(long)\u{e9}"
    }

    @Test func `A request's hint finds its session while other sessions are added and dropped`() throws {
        var random = SeededGenerator.announced("hints of the table of sessions", seed: 7)
        var table = SessionTable()
        let (batch, uuid) = (RequestBatch(), "7d1f3c5e-1b2a-4c3d-8e9f-0000000000")
        var model: [String: UInt32] = [:]
        for step in 0..<4_000 {
            let names = (0..<Int.random(in: 1...32, using: &random)).map { _ in
                let number = Int.random(in: 0..<90, using: &random)
                if number == 7 { return "" }
                return number % 2 == 0 ? uuid + "\(10 + number)" : name(number)
            }
            // Some requests name no session.
            let bytes = names.flatMap { name in
                Array((name == "" ? "*1\r\n$4\r\nPING\r\n" : "*2\r\n$5\r\nSTATE\r\n$\(name.utf8.count)\r\n\(name)\r\n").utf8)
            }
            try bytes.withUnsafeBytes { bytes in
                var parser = RequestParser()
                batch.fill(&parser, from: bytes, atMost: 32)
                try #require(batch.count == names.count)
                batch.withNames { table.prefetch($0, hints: &$1) }
                for (number, name) in names.enumerated() {
                    let request = batch[number]
                    guard name != "" else { continue }
                    let found = table.isRight(hint: request.hint) ? request.hint : table.find(request.words[1])
                    try #require(found == model[name], "step \(step)")
                    guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
                    if let found { table.remove(found) }
                    let machine = found == nil ? try newMachine() : nil
                    model[name] = machine.map { table.add(request.words[1], $0, 1) }
                }
            }
        }
    }

    @Test func `The session table finds sessions that were added and not dropped, in any order`() throws {
        var random = SeededGenerator.announced("the table of sessions", seed: 20_261_120)
        var table = SessionTable()
        var model: [String: UInt32] = [:]
        for step in 0..<60_000 {
            let name = name(Int.random(in: 0..<4_000, using: &random))
            let found = argument(name) { table.find($0) }
            try #require(found == model[name], "step \(step)")
            if let slot = model[name] {
                #expect(argument(name) { table.find($0) } == slot, "step \(step)")
                if Int.random(in: 0..<3, using: &random) == 0 {
                    table.remove(slot)
                    model[name] = nil
                }
            } else {
                #expect(argument(name) { table.find($0) } == nil, "step \(step)")
                let machine = try newMachine()
                model[name] = argument(name) { table.add($0, machine, 1) }
                #expect(machine.tag == model[name])
            }
        }
        #expect(table.count == model.count)
        for (name, slot) in model {
            #expect(argument(name) { table.find($0) } == slot)
            #expect(table.records[slot].name.withBytes { String(decoding: $0, as: UTF8.self) } == name)
        }
        #expect(keeper.armedCount == model.count)
    }

    @Test func `The session table gives a free slot to the next session, and never one slot to two`() throws {
        var table = SessionTable()
        let slots = try (0..<10).map { number in
            let machine = try newMachine()
            return argument("s\(number)") { table.add($0, machine, 1) }
        }
        #expect(slots == Array(0..<10))
        table.remove(3)
        let machine = try newMachine()
        #expect(argument("new") { table.add($0, machine, 1) } == 3)
        #expect(argument("s3") { table.find($0) } == nil)
    }

    private func restore(_ name: Argument, _ machine: AnyMachine, at slot: UInt32, _ table: inout SessionTable) {
        guard let vacancy = table.vacancy(for: name) else {
            Issue.record("the name of \(slot) is taken")
            return
        }
        table.restore(name, machine, at: slot, 1, vacancy)
    }

    @Test func `The session table restores sessions to their slots, and others fill the gaps`() throws {
        var table = SessionTable()
        for slot: UInt32 in [2, 3, 7] {
            let machine = try newMachine()
            argument("s\(slot)") { restore($0, machine, at: slot, &table) }
        }
        #expect(table.count == 3)
        #expect(argument("s2") { table.vacancy(for: $0) } == nil)
        var taken: Set<UInt32> = []
        for number in 0..<5 {
            let machine = try newMachine()
            taken.insert(argument("new\(number)") { table.add($0, machine, 1) })
        }
        #expect(taken == [0, 1, 4, 5, 6])
        #expect(argument("s7") { table.find($0) } == 7)
        #expect(table.records[0].machine != nil)
    }

    @Test(arguments: [0, 1, 5_000, 1_000_000])
    func `The session table finds restored sessions at any reserved capacity`(room: Int) throws {
        var table = SessionTable()
        table.makeRoom(for: room)
        let machine = try newMachine()
        for slot: UInt32 in 0..<5_000 {
            argument("s\(slot)") { restore($0, machine, at: slot, &table) }
        }
        for slot: UInt32 in 0..<5_000 { #expect(argument("s\(slot)") { table.find($0) } == slot) }
        #expect(argument("s5000") { table.find($0) } == nil)
    }

    @Test(arguments: [
        "key:%012d", "room-%d", "%d", "venue/7/table/%d", "%08x-0000-4000-8000-000000000000", "lobby.eu.%05d.match",
    ])
    func `The session table finds a name in a few steps, even among similar names`(format: String) {
        for _ in 0..<3 {
            // Each has a seed of its own.
            let table = SessionTable()
            let index = SessionIndex()
            let hashes = (0..<50_000).map { argument(String(format: format, $0)) { table.hash($0) } }
            for (slot, hash) in hashes.enumerated() {
                if index.isFull(for: hash) { index.grow(for: hash) { hashes[Int($0)] } }
                index.insert(UInt32(slot), hash)
            }
            let detours = hashes.enumerated().map { index.detour(to: UInt32($0), $1) }
            let mean = Double(detours.reduce(0, +)) / Double(detours.count)
            #expect(mean < 2.5, "on average \(mean) steps beyond the first")
        }
    }

    @Test func `A session's name stores a number beside its bytes, at any length`() {
        for length in 0...SessionName.maxLength {
            let bytes = [UInt8](repeating: 7, count: length)
            var name = bytes.withUnsafeBytes { SessionName($0) }
            #expect(name.spare == SessionName.maxSpare)
            name.spare = 0x0012_3456_789A_BCDE
            #expect(name.spare == 0x0012_3456_789A_BCDE)
            #expect(name.withBytes { Array($0) } == bytes)
            #expect(bytes.withUnsafeBytes { name.equals($0) })
            #expect(length == 0 || !(bytes.dropLast() + [8]).withUnsafeBytes { name.equals($0) })
            name.free()
        }
    }
}
