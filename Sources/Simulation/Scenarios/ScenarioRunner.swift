// Runs a scenario up to its end or its first failing step.

import GameFlow
import RESP

/// The result of a scenario.
package struct ScenarioReport: Sendable {
    package struct Step: Sendable {
        package let line: Int
        package let text: String
        /// The scenario's time after the step.
        package let at: Duration
        /// Its outcome, if there is one to show.
        package let outcome: String?
    }

    package let path: String
    /// The steps that were run, including the failing one.
    package fileprivate(set) var steps: [Step] = []
    /// The last step's; nil if the scenario passed.
    fileprivate(set) var mismatch: Mismatch?

    package var isGood: Bool { mismatch == nil }
    /// The scenario's length in virtual time.
    package var length: Duration { steps.last?.at ?? .zero }
}

extension Scenario {
    package func run(_ flows: RehearsedFlows = .builtIn) -> ScenarioReport {
        let world = ScenarioWorld(besides: path, flows: flows.with(charts))
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
        case .emission(let session, let emission):
            return (nil, emission.mismatch(with: world.emissions(of: session)))
        case .startup(let directive):
            world.apply(directive)
            return (nil, nil)
        case .devices(let path): return (nil, world.mismatchAddingDevices(path))
        case .flow: return (nil, nil)
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
    /// The reply on one line: a text as it is, an error with its code, anything else as JSON.
    fileprivate var line: String {
        switch self {
        case .error(let code, let text): "\(code) \(text)"
        case .simple, .integer, .bulk, .null, .array, .map, .set, .push, .double, .boolean, .verbatim, .bigNumber:
            text ?? json.description
        }
    }
}
