// Leaves that are active together, each combination made once.

/// Several leaves that are active together.
final class Combination: Sendable {
    /// Their paths, joined by commas.
    let name: String
    /// In document order.
    let leaves: [Int]
    /// Whether its name must stand among its data: a store cuts long names, and too many combinations have no number of their own.
    let isRare: Bool
    /// Whether the chart has come to its end.
    let isDone: Bool

    /// What a store takes as a state's name.
    private static let maxNameBytes = 4_096

    init(_ leaves: [Int], in chart: Chart, isRare: Bool) {
        self.leaves = leaves
        name = leaves.map { chart.states[$0].path }.joined(separator: ",")
        self.isRare = isRare || name.utf8.count > Self.maxNameBytes
        isDone = chart.isInFinalState(Chart.root, chart.configuration(of: leaves))
    }
}

/// The combinations that a chart's sessions have been in.
final class Combinations {
    /// More than this have no number of their own.
    private static let maxCount = 1 << 15
    /// Leaves of all that are kept.
    private static let maxLeaves = 1 << 20

    private let chart: Chart
    private var known: [[Int]: Combination] = [:]

    private var leafCount = 0

    init(_ chart: Chart) {
        self.chart = chart
    }

    func combination(of leaves: [Int]) -> Combination {
        if let known = known[leaves] { return known }
        let isRare = known.count >= Self.maxCount || leafCount + leaves.count > Self.maxLeaves
        let made = Combination(leaves, in: chart, isRare: isRare)
        if !isRare {
            known[leaves] = made
            leafCount += leaves.count
        }
        return made
    }
}
