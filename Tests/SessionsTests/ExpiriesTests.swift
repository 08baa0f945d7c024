// The expiry times of sessions, tested without sessions.

import Seeds
import Testing
import Timers
@testable import Sessions

@Suite struct `Sessions' expiries` {
    private final class Delegate: ExpiryDelegate {
        var expired: [UInt32] = []

        func sessionDidExpire(_ slot: UInt32) { expired.append(slot) }
    }

    private static let length = Duration.seconds(60)
    private let clock = VirtualClock()
    private let keeper: Timekeeper
    private let delegate = Delegate()
    private let expiries: Expiries

    init() {
        keeper = Timekeeper(clock)
        expiries = Expiries([ExpiryRule(flow: "kiosk", length: Self.length, action: .drop)], on: keeper, for: delegate)
    }

    private func advance(_ duration: Duration) {
        clock.move(to: clock.now.advanced(by: duration))
        keeper.beginTurn()
        keeper.fireDue()
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `Expiries agree with a model under random additions, restarts, freezes and removals`(seed: UInt64) throws {
        var random = SeededGenerator.announced("expiries", seed: seed)
        /// The remaining time of each expiry, and whether it is frozen.
        var model: [UInt32: (left: Duration, isFrozen: Bool)] = [:]
        for _ in 0..<3_000 {
            let slot = UInt32.random(in: 0..<20, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let untouched = Duration.seconds(Int.random(in: -5..<50, using: &random))
                let isFrozen = Bool.random(using: &random)
                expiries.add(slot, ofFlow: "kiosk", untouched: untouched, isFrozen: isFrozen)
                model[slot] = (Self.length - max(untouched, .zero), isFrozen)
            case 1:
                expiries.remove(slot)
                model[slot] = nil
            case 2:
                expiries[slot]?.restart()
                model[slot]?.left = Self.length
            case 3:
                let isFrozen = Bool.random(using: &random)
                expiries[slot]?.setFrozen(isFrozen)
                model[slot]?.isFrozen = isFrozen
            default:
                let passed = Duration.milliseconds(Int.random(in: 0..<9_000, using: &random))
                advance(passed)
                for slot in model.keys where model[slot]?.isFrozen == false { model[slot]?.left -= passed }
                let over = model.filter { $0.value.left <= .zero }
                try #require(delegate.expired.sorted() == over.keys.sorted())
                // The registry does the same: the session was dropped, or restarted.
                for slot in over.keys {
                    expiries.remove(slot)
                    model[slot] = nil
                }
                delegate.expired = []
            }
            for slot in 0..<UInt32(20) { try #require(expiries[slot]?.left == model[slot]?.left) }
        }
    }

    @Test func `A session of a flow without a rule has no expiry`() {
        expiries.add(1, ofFlow: "quiz")
        #expect(expiries[1] == nil)
        advance(.seconds(1_000))
        #expect(delegate.expired.isEmpty)
    }

    @Test func `An expired session keeps its entry until it is removed, and is reported once`() {
        expiries.add(1, ofFlow: "kiosk")
        advance(Self.length)
        advance(Self.length)
        #expect(delegate.expired == [1] && expiries[1]?.left == .zero)
        expiries[1]?.restart()
        advance(Self.length)
        #expect(delegate.expired == [1, 1])
    }

    @Test func `The last of several rules of one flow counts`() {
        let rules = [10, 5].map { ExpiryRule(flow: "kiosk", length: .seconds($0), action: .restart) }
        let expiries = Expiries(rules, on: keeper, for: delegate)
        expiries.add(1, ofFlow: "kiosk")
        #expect(expiries[1]?.left == .seconds(5))
    }
}
