// What a user interface shows of a session, from the views of its active states: the inner ones come first.

import GameFlow
import Timers

extension ChartEngine {
    func screen(of state: ChartState, on clock: FlowClock) -> Screen {
        expressions.allow(ChartBounds.steps)
        view.bind(to: state, nil, on: clock)
        defer { view.unbind() }
        let leaves = state.leaves(of: chart)
        let views = chart.configuration(of: leaves).reversed().compactMap { chart.states[$0].view }
        return Screen(
            title: views.firstText(\.title, text) ?? title(of: leaves), text: views.firstText(\.text, text) ?? "",
            progress: progress(views))
    }

    private func title(of leaves: [Int]) -> String {
        leaves.map { chart.states[$0].key.spelledOut }.joined(separator: ", ")
    }

    private func progress(_ views: [ChartView]) -> Double? {
        guard let formula = views.lazy.compactMap(\.progress).first,
            let value = try? formula.value(expressions, in: view.scope).double
        else { return nil }
        return min(max(value, 0), 1)
    }

    /// A text that cannot be made is not hidden: what is wrong stands in its place.
    private func text(_ template: Template) -> String {
        do throws(ExpressionError) {
            return try template.text(expressions, in: view.scope)
        } catch {
            return "(\(error.sentence))"
        }
    }
}

extension [ChartView] {
    fileprivate func firstText(_ part: (ChartView) -> Template?, _ text: (Template) -> String) -> String? {
        for view in self {
            if let template = part(view) { return text(template) }
        }
        return nil
    }
}
