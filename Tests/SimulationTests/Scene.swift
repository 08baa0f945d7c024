// Scenarios as text, and what becomes of them.

import Testing
@testable import Simulation

/// Runs a scenario.
func play(_ text: String, path: String = "it.scenario") throws -> ScenarioReport {
    try Scenario(parsing: text, path: path).run()
}

/// What is wrong with a text that is no scenario.
func faults(_ text: String) -> [String] {
    let fault = #expect(throws: ScenarioFault.self) { try Scenario(parsing: text, path: "it.scenario") }
    return fault?.sentences ?? []
}

/// What went wrong in the last line of a scenario, as `expected / got`; nil if nothing did.
func mismatch(_ text: String) throws -> String? {
    let report = try play(text)
    #expect(report.isGood || report.steps.last?.line == text.split(separator: "\n").count, "an earlier step failed")
    return report.mismatch.map { "\($0.expected) / \($0.got)" }
}
