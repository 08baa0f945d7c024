// The state of a sandbox as tests compare it, and calls that run a seek to its end.

import BuiltInFlows
import GameFlow
import RESP
import Simulation
import Testing

/// The visible state of a sandbox, without values that differ between sandboxes.
extension Sandbox {
    var state: String { json["view"]?["state"]?.text ?? "" }
    var now: Int { json["at_ms"]?.integer ?? -1 }
    var shownEnd: Int { json["end_ms"]?.integer ?? -1 }
    var next: Int? { json["next_ms"]?.integer }
    var shownLines: [String] {
        guard case .array(let lines)? = json["lines"] else { return [] }
        return lines.map { line in
            let event = line["event"]?.text ?? "-"
            let code = line["code"]?.text.map { " \($0)" } ?? ""
            return "\(line["t_ms"]?.integer ?? -1) \(line["source"]?.text ?? "") \(event)\(code) \(line["to"]?.text ?? "")"
        }
    }
    var stepTimes: [Int] {
        guard case .array(let steps)? = json["steps"] else { return [] }
        return steps.compactMap { $0["at_ms"]?.integer }
    }

    /// Returns a sandbox whose calls do all of their work, even on a slow machine.
    static func unsliced(_ flow: FlowKind, of flows: [FlowKind], context: JSON? = nil) throws -> Sandbox {
        try Sandbox(flow: flow, flows: flows, context: context, within: SandboxSlice(.seconds(3_600)))
    }

    /// Runs until the seek is complete.
    func runToGoal() throws {
        while try step() {}
    }

    func run(to milliseconds: Int) throws {
        try seek(to: milliseconds)
        try runToGoal()
    }
}

/// Returns the error code of `body`, or nil if it succeeds.
func errorCode(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return (error as? CommandError)?.code.text ?? "\(error)"
    }
}
