// Who has least and who has most, while shares even out. Both are looked for from where they were found before: a plan asks thousands of times.

/// The first taker that has least. Nobody is to come to have less than that.
struct LeastLoaded {
    private var isLeftOut: [Bool]
    private var minimum = Int.min
    private var place = 0

    init(among takers: Int) {
        isLeftOut = Array(repeating: false, count: takers)
    }

    mutating func leaveOut(_ place: Int) { isLeftOut[place] = true }

    /// Nil where all are left out.
    mutating func place(_ counts: [Int]) -> Int? {
        while place < counts.count {
            if counts[place] <= minimum, !isLeftOut[place] { return place }
            place += 1
        }
        let open = counts.indices.filter { !isLeftOut[$0] }
        guard let next = open.min(by: { counts[$0] < counts[$1] }) else { return nil }
        (minimum, place) = (counts[next], next)
        return next
    }
}

/// The first taker that has most. Nobody is to come to have more than that.
struct MostLoaded {
    private var maxCount = Int.max
    private var place = 0

    mutating func place(_ counts: [Int]) -> Int? {
        while place < counts.count {
            if counts[place] >= maxCount { return place }
            place += 1
        }
        guard let most = counts.max() else { return nil }
        self.maxCount = most
        place = counts.firstIndex(of: most) ?? 0
        return place
    }
}
