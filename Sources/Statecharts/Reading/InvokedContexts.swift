// Contexts of invoked flows, beside the files of those flows: names and literals that they never accept.

import JSON
import Texts

extension ChartDefinition {
    /// The errors in the contexts that it gives to the flows that it invokes. A flow that is not among these is not checked.
    package func invokedContextProblems(_ flows: [String: ChartDefinition]) -> [FlowFileProblem] {
        invocations.flatMap { invocation in
            guard let flow = flows[invocation.flow] else { return [FlowFileProblem]() }
            return zip(invocation.context, invocation.places).compactMap { flow.problem(with: $0.name, at: $1) }
        }
    }

    private func problem(with name: String, at place: Invocation.Place) -> FlowFileProblem? {
        guard let variable = context.first(where: { $0.name == name }) else {
            let advice = context.isEmpty ? "it has none" : context.map(\.name).nearest(to: name)
            return FlowFileProblem(
                .error, line: place.name.line, column: place.name.column,
                "the context of the flow \(self.name.quoted) has no variable \(name.quoted); \(advice)")
        }
        guard let literal = place.literal, let complaint = variable.complaint(about: literal) else { return nil }
        return FlowFileProblem(
            .error, line: place.value.line, column: place.value.column, "in the flow \(self.name.quoted), \(complaint)")
    }
}
