// The target `charts`. Any flow file becomes a chart with parts that fit together, or errors with places in the file. Reading it again has the
// same result. Inputs that begin with `LargeChart.mark` give the size of a chart, and not the contents of the file.

import JSON
@testable import Statecharts
import Texts

func checkChart(_ input: [UInt8]) {
    let large = LargeChart(input).map { Array($0.text().utf8) }
    let bytes = large ?? input
    // A changed file is read off the loop, so a large one may take as long as its size needs.
    let file =
        large == nil
        ? bounded("reading a flow file") { FlowFile(bytes: bytes, path: "fuzz.json5") }
        : FlowFile(bytes: bytes, path: "fuzz.json5")
    let hasErrors = file.problems.contains { $0.severity == .error }
    promise((file.definition == nil) == hasErrors, "a chart and errors: \(file.report)")
    check(file.problems, bytes)
    file.definition.map { check($0, bytes) }
}

private func check(_ problems: [FlowFileProblem], _ bytes: [UInt8]) {
    let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
    promise(problems.count <= 101, "\(problems.count) problems")
    for problem in problems {
        promise(
            (1...lines).contains(problem.position.line) && (1...bytes.count + 1).contains(problem.position.column),
            "line \(problem.position.line):\(problem.position.column)")
        let line = problem.description(in: "fuzz.json5")
        promise(line.utf8.count < 2_048, "\(line.utf8.count) bytes are told")
        promise(!line.unicodeScalars.contains(where: \.isUnprintable), "\(line.debugDescription) is told")
    }
}

/// References point to existing parts.
private func check(_ chart: ChartDefinition, _ bytes: [UInt8]) {
    for (number, state) in chart.states.enumerated() {
        promise(state.children.allSatisfy { chart.states[$0].parent == number && $0 > number }, "the children of \(state.path)")
        promise(state.transitions.allSatisfy { chart.transitions[$0].source == number }, "the transitions of \(state.path)")
        promise(state.timers.allSatisfy { chart.timers[$0].state == number }, "the timers of \(state.path)")
        promise((state.kind == .compound || state.kind.isHistory) == (state.initial != nil), "where \(state.path) begins")
    }
    for timer in chart.timers {
        promise(timer.milestones.count <= ChartBounds.milestones, "\(timer.milestones.count) milestones")
    }
    promise(chart.states.count <= ChartBounds.states + 1, "\(chart.states.count) states")
    promise(chart.transitions.count <= ChartBounds.transitions, "\(chart.transitions.count) transitions")
    promise(chart.timers.count <= ChartBounds.timers, "\(chart.timers.count) timers")
    promise(chart.events.count <= ChartBounds.events, "\(chart.events.count) events")
    promise(chart.invocations.count <= ChartBounds.invocations, "\(chart.invocations.count) invocations")
    for transition in chart.transitions {
        promise(transition.targets.allSatisfy(chart.states.indices.contains), "targets \(transition.targets)")
        promise(transition.guardExpression.map { chart.expressions.indices.contains($0.number) } ?? true, "a guard")
    }
    let again = FlowFile(bytes: Array(JSON5Document(bytes: bytes).root?.json.description.utf8 ?? "".utf8), path: "fuzz.json5")
    promise(again.definition?.fingerprint == chart.fingerprint, "written again it says something else: \(again.report)")
    promise(again.definition?.transitions.count == chart.transitions.count, "written again it has other transitions")
}
