// Runs a scenario from its first step to its last, or to the first that fails.

import GameFlow
import RESP
import ReplyJSON

/// What became of a scenario.
package struct ScenarioReport: Sendable {
    package struct Step: Sendable {
        package let line: Int
        package let text: String
        /// The scenario's time when the step was over.
        package let at: Duration
        /// What came of it, if there is something to say.
        package let outcome: String?
    }

    package let path: String
    /// The steps that were run, the failing one included.
    package fileprivate(set) var steps: [Step] = []
    /// Of the last step; nil if everything was as expected.
    fileprivate(set) var mismatch: Mismatch?

    package var isGood: Bool { mismatch == nil }
    /// How much of the scenario's time has passed.
    package var length: Duration { steps.last?.at ?? .zero }
}

extension Scenario {
    package func run(_ flows: RehearsedFlows = .builtIn) -> ScenarioReport {
        let world = ScenarioWorld(besides: path, flows: flows)
        var report = ScenarioReport(path: path)
        for step in steps where report.isGood {
            let (outcome, mismatch) = step.run(in: world)
            report.steps.append(.init(line: step.line, text: step.text, at: world.now, outcome: outcome))
            report.mismatch = mismatch
        }
        return report
    }
}

extension ScenarioStep {
    fileprivate func run(in world: ScenarioWorld) -> (outcome: String?, mismatch: Mismatch?) {
        switch action {
        case .command(let words):
            let reply = world.run(words)
            guard case .error = reply else { return (reply.line, nil) }
            return (nil, Mismatch(expected: "no error", got: reply.line))
        case .refusal(let code, let words):
            let reply = world.run(words)
            let isMet = if case .error(code, _) = reply { true } else { false }
            return (reply.line, .unless(isMet, "an error, \(code)", got: reply.line))
        case .reply(let text, let words):
            let reply = world.run(words)
            return (reply.line, .unless(reply.line == text, text, got: reply.line))
        case .expectation(let session, let expectation):
            guard let machine = world.machine(of: session) else {
                return (nil, Mismatch(expected: "a session '\(session)'", got: "no such session"))
            }
            return (nil, expectation.mismatch(with: machine))
        case .startup(let directive):
            world.follow(directive)
            return (nil, nil)
        case .devices(let path): return (nil, world.mismatchAddingDevices(path))
        }
    }
}

extension ScenarioWorld {
    fileprivate func mismatchAddingDevices(_ path: String) -> Mismatch? {
        do throws(CommandError) {
            try addDevices(path: path)
            return nil
        } catch {
            return Mismatch(expected: "devices", got: error.description)
        }
    }
}

extension Reply {
    /// The reply in one line: a text as it is, an error with its code, all else as JSON.
    fileprivate var line: String {
        switch self {
        case .error(let code, let text): "\(code) \(text)"
        default: text ?? json.description
        }
    }
}
