// Runs scenarios given as text.

import Testing
@testable import Simulation

/// Runs a scenario.
func play(_ text: String, path: String = "it.scenario") throws -> ScenarioReport {
    try Scenario(parsing: text, path: path).run()
}

/// Parses an invalid scenario and returns its errors.
func faults(_ text: String) -> [String] {
    let fault = #expect(throws: ScenarioFault.self) { try Scenario(parsing: text, path: "it.scenario") }
    return fault?.sentences ?? []
}

/// Runs a scenario and returns the mismatch in its last line as `expected / got`, or nil if it passes.
func mismatch(_ text: String) throws -> String? {
    let report = try play(text)
    #expect(report.isGood || report.steps.last?.line == text.split(separator: "\n").count, "an earlier step failed")
    return report.mismatch.map { "\($0.expected) / \($0.got)" }
}
