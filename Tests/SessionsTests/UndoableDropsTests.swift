// The drops that UNDROP can undo, tested without sessions.

import BuiltInFlows
import GameFlow
import Memory
import Seeds
import Testing
import Timers
@testable import Sessions

@Suite struct `Undoable drops` {
    private let clock = VirtualClock()
    private let keeper: Timekeeper
    private let kind = FlowKind.flow(Turns.self)

    init() { keeper = Timekeeper(clock) }

    private func machine() throws -> AnyMachine { try kind.begin(on: keeper) }

    private func advance(_ duration: Duration) {
        clock.move(to: clock.now.advanced(by: duration))
        keeper.beginTurn()
    }

    /// A drop in the model.
    private struct Kept {
        let name: String
        let at: Instant
        /// How many drops there were before it.
        let number: Int
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `Undoable drops agree with a model under random drops, undos and expiries`(seed: UInt64) throws {
        var random = SeededGenerator.announced("undoable drops", seed: seed)
        var drops = UndoableDrops()
        drops.limit = .seconds(10)
        /// The oldest first.
        var (model, added): ([Kept], Int) = ([], 0)
        for _ in 0..<2_000 {
            let name = "s\(Int.random(in: 0..<90, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                _ = drops.add(try machine(), named: ByteString(name))
                model.append(Kept(name: name, at: keeper.now, number: added))
                added += 1
                // An undone drop leaves its place in the ring empty.
                model.removeAll { added - $0.number > UndoableDrops.maxCount }
            case 6..<8:
                let (last, taken) = (drops.last(ByteString(name))?.at, drops.remove(ByteString(name))?.at)
                #expect(last == model.last { $0.name == name }?.at)
                #expect(taken == last)
                model.removeAll { $0.name == name }
            // Some steps end exactly at the limit.
            case 8: advance(.milliseconds(500 * Int.random(in: 0..<4, using: &random)))
            default:
                _ = drops.removeExpired(on: keeper)
                model.removeAll { $0.at < keeper.now.advanced(by: .seconds(-10)) }
            }
            let (count, isEmpty) = (drops.count, drops.isEmpty)
            try #require(count == model.count && isEmpty == model.isEmpty)
        }
    }

    @Test func `A dropped session keeps its state and pauses its timers until the drop is undone`() throws {
        var drops = UndoableDrops()
        let dropped = try machine()
        _ = try dropped.send(named: "pass", from: .ui)
        advance(.seconds(20))
        _ = drops.add(dropped, named: "room")
        advance(.seconds(9))
        let taken = drops.remove("room")
        let again = try #require(taken).machine(of: kind, on: keeper)
        #expect(again.stateName == "second" && again.version == 0 && !again.isFrozen)
        var left: [Duration?] = []
        again.forEachTimer { left.append($0.remaining) }
        #expect(left == [.seconds(10)])
        #expect(again.since.duration(to: keeper.now) == .seconds(20), "the time in between does not count")
    }

    @Test func `Only the first drop asks for an expiry, and the next one after all have expired`() throws {
        var drops = UndoableDrops()
        let asked = [drops.add(try machine(), named: "a"), drops.add(try machine(), named: "b")]
        #expect(asked == [true, false])
        let again = drops.removeExpired(on: keeper)
        #expect(again == nil, "virtual time may not pass")
        advance(.seconds(11))
        _ = drops.removeExpired(on: keeper)
        let (count, asksAgain) = (drops.count, drops.add(try machine(), named: "c"))
        #expect(count == 0 && asksAgain)
    }

    @Test func `Only the drops of sessions with such names are forgotten`() throws {
        var drops = UndoableDrops()
        drops.removeAll { _ in true }
        for name in ["a", "b", "a"] { _ = drops.add(try machine(), named: ByteString(name)) }
        drops.removeAll { $0 == "a" }
        let (count, gone, kept) = (drops.count, drops.last("a")?.at, drops.last("b")?.at)
        #expect(count == 1 && gone == nil && kept == keeper.now)
        drops.removeAll { _ in true }
        let isEmpty = drops.isEmpty
        #expect(isEmpty)
    }

    @Test func `A limit of zero disables undoable drops and forgets those before it`() throws {
        var drops = UndoableDrops()
        _ = drops.add(try machine(), named: "room")
        drops.limit = .zero
        let (isEnabled, count, kept) = (drops.isEnabled, drops.count, drops.last("room")?.at)
        #expect(!isEnabled && count == 0 && kept == nil)
        drops.limit = .seconds(10)
        let (isEnabledAgain, keptAgain) = (drops.isEnabled, drops.last("room")?.at)
        #expect(isEnabledAgain && keptAgain == nil)
        _ = drops.add(try machine(), named: "room")
        let countAgain = drops.count
        #expect(countAgain == 1)
    }
}
