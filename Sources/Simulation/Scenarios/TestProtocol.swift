// Reports of scenarios in TAP, the Test Anything Protocol, version 13: CI servers read it, and `prove`, which takes
// no newer one.

import GameFlow
import Sessions
import Texts

package enum TestProtocol {
    package static func head(count: Int) -> String { "TAP version 13\n1..\(count)" }

    /// One test point, with a diagnostic if it failed; `verbose` lists the steps in any case.
    package static func point(_ number: Int, _ report: ScenarioReport, verbose: Bool = false) -> String {
        let size = "\("step".counted(report.steps.count)), \(report.length.written)"
        let line = line(number, isGood: report.isGood, report.path, size)
        let comments = verbose ? StepColumns(report).lines.map { "# \($0.printable)" } : []
        return (comments + [line] + diagnostic(report)).joined(separator: "\n")
    }

    /// The test point of a file that is no scenario. Its mistakes are a text: Perl's reader of YAML takes `file:1: …` in a list for a key.
    package static func point(_ number: Int, _ fault: ScenarioFault) -> String {
        let size = "\("mistake".counted(fault.sentences.count)), nothing was run"
        let lines = [line(number, isGood: false, fault.path, size), "  ---", "  mistakes: |"]
        return (lines + fault.sentences.map { "    \($0.printable)" } + ["  ..."]).joined(separator: "\n")
    }

    private static func line(_ number: Int, isGood: Bool, _ path: String, _ size: String) -> String {
        let name = path.printable.replacing("\\", with: "\\\\").replacing("#", with: "\\#")
        return "\(isGood ? "ok" : "not ok") \(number) - \(name) (\(size))"
    }

    /// The problem in a line, as compilers say it: for people who do not see the report itself, as under `prove`.
    package static func complaint(_ report: ScenarioReport) -> [String] {
        guard let mismatch = report.mismatch, let failed = report.steps.last else { return [] }
        return ["\(report.path):\(failed.line): \(failed.text): expected \(mismatch.expected), got \(mismatch.got)"]
    }

    /// YAML; its quoted strings may be JSON's.
    private static func diagnostic(_ report: ScenarioReport) -> [String] {
        guard let mismatch = report.mismatch, let failed = report.steps.last else { return [] }
        let fields = [
            ("at", "\(report.path):\(failed.line)"), ("step", failed.text), ("expected", mismatch.expected),
            ("got", mismatch.got), ("time", failed.at.written),
        ]
        return ["  ---"] + fields.map { "  \($0.0): \(JSON.string($0.1))" } + ["  steps:"]
            + StepColumns(report).lines.map { "    - \(JSON.string($0))" } + ["  ..."]
    }

    package static func json(_ fault: ScenarioFault) -> JSON {
        ["file": .string(fault.path), "ok": .bool(false), "mistakes": .array(fault.sentences.map { .string($0) })]
    }

    /// The same as JSON: an object per scenario.
    package static func json(_ report: ScenarioReport) -> JSON {
        var members: [JSON.Member] = [
            .init("file", .string(report.path)), .init("ok", .bool(report.isGood)),
            .init("steps", .integer(report.steps.count)), .init("time_ms", .integer(report.length.milliseconds)),
        ]
        if let mismatch = report.mismatch, let failed = report.steps.last {
            members += [
                .init("line", .integer(failed.line)), .init("step", .string(failed.text)),
                .init("expected", .string(mismatch.expected)), .init("got", .string(mismatch.got)),
            ]
        }
        return .object(members)
    }
}

/// The steps of a report in aligned columns.
private struct StepColumns {
    private let report: ScenarioReport
    private let locationWidth: Int
    private let textWidth: Int

    init(_ report: ScenarioReport) {
        self.report = report
        locationWidth = report.steps.last.map { "\(report.path):\($0.line)".displayWidth } ?? 0
        // A very long line must not widen the column for all others.
        textWidth = min(60, report.steps.map(\.text.displayWidth).max() ?? 0)
    }

    var lines: [String] {
        report.steps.enumerated().map { line($1, isFailed: !report.isGood && $0 == report.steps.count - 1) }
    }

    private func line(_ step: ScenarioReport.Step, isFailed: Bool) -> String {
        let location = "\(report.path):\(step.line)".padded(to: locationWidth)
        let outcome = isFailed ? "FAILED" : step.outcome.map { "-> \($0)" }
        guard let outcome else { return "\(location)  \(step.text)" }
        return "\(location)  \(step.text.padded(to: textWidth))  \(outcome)"
    }
}
