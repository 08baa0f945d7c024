// A flow that traps wherever a flow's code runs.

import GameFlow
import Timers

struct TrappingFlow: TypedFlow {
    enum State: FlowState {
        /// Where it begins, and counts.
        case calm(count: Int)
        /// Its countdown's event traps.
        case armed(fuse: Countdown)
        /// Whether it is final cannot be asked.
        case glass
        /// What it accepts cannot be asked.
        case maze
        /// What it shows cannot be asked, nor anything else: it cannot be saved.
        case sealed(seal: Seal)
        /// It can be saved, and not be restored.
        case buried(mine: Mine)
        /// Its work traps.
        case working
    }

    enum Event: Sendable {
        case count
        case trap(how: String)
        case arm, burst
        case enter(place: String)
        case peek
    }

    static let name = "trapper"
    static let states = ["calm", "armed", "glass", "maze", "sealed", "buried", "working"]
    static let events = Catalogue<Event>(
        .plain(.count), .text(Event.trap, samples: ["nothing"]), .plain(.arm), .timer(.burst),
        .text(Event.enter, samples: ["calm"]), .plain(.peek))
    static let fuse = TimerPlan.countdown("fuse", .milliseconds(100), message: Event.burst)
    static let timers = [fuse]

    static func configure(_ definition: inout FlowDefinition<TrappingFlow>) {
        // To go through it would take the process down.
        definition.isChecked = false
        definition.orchestrate { _, state in
            guard case .working = state else { return nil }
            return {
                Trap.spring()
                return .enter(place: "calm")
            }
        }
    }

    let clock: FlowClock

    func initialState() throws -> State { .calm(count: 0) }

    func transition(from state: State, on event: Event) throws(FlowError) -> Transition {
        switch (state, event) {
        case (.calm(let count), .count): return { .calm(count: count + 1) }
        case (.calm(let count), .trap(let how)):
            return {
                Trap.spring(how)
                return .calm(count: count + 1)
            }
        case (_, .arm): return { .armed(fuse: try Countdown(Self.fuse, on: clock)) }
        case (.armed, .burst):
            return {
                Trap.spring()
                return .calm(count: 1_000)
            }
        case (.maze, .peek):
            Trap.spring()
            throw .transitionNotFound
        case (_, .enter(let place)): return { Self.state(place) }
        default: throw .transitionNotFound
        }
    }

    private static func state(_ place: String) -> State {
        switch place {
        case "glass": .glass
        case "maze": .maze
        case "sealed": .sealed(seal: Seal())
        case "buried": .buried(mine: Mine(depth: 3))
        case "working": .working
        default: .calm(count: 0)
        }
    }

    func isFinal(_ state: State) -> Bool {
        if case .glass = state { Trap.spring() }
        return false
    }
}

/// It cannot be written down.
struct Seal: Codable {
    init() {}
    init(from decoder: any Decoder) throws {}

    func encode(to encoder: any Encoder) throws { Trap.spring() }
}

/// It cannot be read back.
struct Mine: Codable {
    var depth: Int

    init(depth: Int) { self.depth = depth }

    init(from decoder: any Decoder) throws {
        depth = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .depth)
        Trap.spring()
    }
}
