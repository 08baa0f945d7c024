// Looking into an array that is sorted.

extension Array {
    /// The first place at which this holds, if it holds from there to the end; the end, if it holds nowhere.
    package func firstPlace(where holds: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
