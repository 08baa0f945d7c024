// Values of an enum's case that are made without decoding and written to JSON without encoding. The case must carry one object and
// nothing else.

import Testing
import Timers
@testable import GameFlow

private class Base {}

private final class Thing: Base {
    let number: Int
    private let onEnd: () -> Void

    init(_ number: Int, onEnd: @escaping () -> Void = {}) { (self.number, self.onEnd) = (number, onEnd) }

    deinit { onEnd() }
}

private protocol Numbered: AnyObject { var number: Int { get } }
extension Thing: Numbered {}
private struct Wrapper { let thing: Thing }
private struct Two { let thing, other: Thing }
private final class Box<Value> {}

private enum Alone {
    case only(Thing)
}

private enum Pointers {
    case one(Thing), two(thing: Thing), three(Base), none, nothing
}

private enum Mixed {
    case one(Thing)
    case labelled(thing: Thing)
    case base(Base)
    case optional(Thing?)
    case pair(Thing, Thing)
    case labelledPair(a: Thing, b: Thing)
    case counted(Thing, Int)
    case existential(any Numbered)
    case wrapped(Wrapper)
    case two(Two)
    case array([Thing])
    case generic(Box<Int>)
    case closure(() -> Thing)
    case large(Int, Int, String)
    case none
    indirect case boxed(Thing)
}

@Suite struct `A case that carries one object` {
    private func number(_ value: Mixed) -> Int? {
        switch value {
        case .one(let thing), .labelled(let thing): thing.number
        case .base(let base): (base as? Thing)?.number
        default: nil
        }
    }

    @Test func `A case maker makes values with other objects, which are released with them`() throws {
        var ended: [Int] = []
        let first = Thing(1)
        for value in [Mixed.one(first), .labelled(thing: first), .base(first)] {
            let maker = try #require(CaseMaker(value, carrying: first))
            for count in 2..<5 {
                let made = maker.make(Thing(count) { ended.append(count) })
                #expect(number(made) == count)
                #expect(caseName(of: made) == caseName(of: value))
            }
        }
        #expect(ended == [2, 3, 4, 2, 3, 4, 2, 3, 4])
    }

    @Test func `A case maker works for an enum of one case and for cases in spare bits`() throws {
        let thing = Thing(1)
        guard case .only(let made)? = CaseMaker(Alone.only(thing), carrying: thing)?.make(Thing(7)) else {
            Issue.record("it is not made")
            return
        }
        #expect(made.number == 7)
        for value in [Pointers.one(thing), .two(thing: thing), .three(thing)] {
            let made = try #require(CaseMaker(value, carrying: thing)).make(Thing(8))
            switch made {
            case .one(let thing): #expect(thing.number == 8 && caseName(of: value) == "one")
            case .two(let thing): #expect(thing.number == 8 && caseName(of: value) == "two")
            case .three(let base): #expect((base as? Thing)?.number == 8 && caseName(of: value) == "three")
            case .none, .nothing: Issue.record("it is another case")
            }
        }
    }

    @Test func `A case that carries anything but one object has no case maker`() {
        let thing = Thing(1)
        let others: [Mixed] = [
            .optional(thing), .optional(nil), .pair(thing, thing), .labelledPair(a: thing, b: thing), .counted(thing, 1),
            .existential(thing), .wrapped(Wrapper(thing: thing)), .two(Two(thing: thing, other: thing)), .array([thing]),
            .generic(Box()), .closure({ thing }),
            .large(1, 2, "3"), .none, .boxed(thing),
        ]
        for other in others { #expect(CaseMaker(other, carrying: thing) == nil, "\(caseName(of: other))") }
        #expect(CaseMaker(Wrapper(thing: thing), carrying: thing) == nil)
        #expect(CaseMaker(Pointers.none, carrying: thing) == nil)
    }
}

private enum Waiting: FlowState {
    case some(Countdown), named(of: Countdown), maybe(Countdown?), counted(Countdown, Int)
}

@Suite struct `The data of a state that carries one timer` {
    private let host = TimerHost(on: Timekeeper(VirtualClock()))
    private let plans = ["bell", "gong"].map { TimerPlan.countdown($0, .seconds(9), message: Tune.ring) }

    private enum Tune { case ring }

    private func encoded(_ state: Waiting, _ purpose: StateEncoder.Purpose) throws -> JSON {
        try state.data(named: caseName(of: state), for: purpose, naming: \.messageName)
    }

    @Test func `Data made from a state's only timer equals the encoded data when the timer changes`() throws {
        for make in [Waiting.some, { .named(of: $0) }] as [(Countdown) -> Waiting] {
            let timer = try Countdown(plans[0], on: host.clock)
            let state = make(timer)
            var carried = CarriedTimers()
            carried.record(
                state, at: 3, carrying: timer, in: try encoded(state, .showing),
                .init(purpose: .showing, eventName: \.messageName))
            for change in [{}, { timer.pause() }, { try? timer.extend(by: .seconds(5)) }] {
                change()
                for purpose in [StateEncoder.Purpose.saving, .showing] {
                    let made = carried.data(3, timer, .init(purpose: purpose, eventName: \.messageName))
                    #expect(try made == encoded(state, purpose))
                }
            }
            #expect(carried.data(4, timer, .init(purpose: .saving, eventName: \.messageName)) == nil, "of another state")
        }
    }

    @Test func `A state with an optional timer, other values or a different timer is encoded`() throws {
        let (bell, gong) = (try Countdown(plans[0], on: host.clock), try Countdown(plans[1], on: host.clock))
        for state in [Waiting.maybe(bell), .counted(bell, 1), .some(gong)] {
            var carried = CarriedTimers()
            let first = caseName(of: state) == "some" ? gong : bell
            carried.record(
                state, at: 0, carrying: first, in: try encoded(state, .showing),
                .init(purpose: .showing, eventName: \.messageName))
            #expect(carried.isKnown(0))
            #expect(carried.data(0, bell, .init(purpose: .saving, eventName: \.messageName)) == nil)
        }
    }
}
