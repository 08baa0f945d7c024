// Leaves that are active together, each combination made once.

/// Several leaves that are active together.
final class Combination: Sendable {
    /// Their paths, joined by commas.
    let name: String
    /// In document order.
    let leaves: [Int]
    /// Whether there are so many combinations that it may have no number of its own, so that its name must stand among its data.
    let isRare: Bool

    init(_ leaves: [Int], in chart: Chart, isRare: Bool) {
        self.leaves = leaves
        self.isRare = isRare
        name = leaves.map { chart.states[$0].path }.joined(separator: ",")
    }
}

/// The combinations that a chart's sessions have been in.
final class Combinations {
    /// More than this have no number of their own.
    private static let most = 1 << 15

    private let chart: Chart
    @exclusivity(unchecked) private var known: [[Int]: Combination] = [:]

    init(_ chart: Chart) {
        self.chart = chart
    }

    func combination(of leaves: [Int]) -> Combination {
        if let known = known[leaves] { return known }
        let isRare = known.count >= Self.most
        let made = Combination(leaves, in: chart, isRare: isRare)
        if !isRare { known[leaves] = made }
        return made
    }
}
