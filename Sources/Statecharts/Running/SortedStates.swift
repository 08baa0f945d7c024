// States in document order: a state's descendants stand together, so that they are found without looking at all of them.

extension [Int] {
    /// Where the state is, or would be.
    func place(of state: Int) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < state { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func has(_ state: Int) -> Bool {
        let place = place(of: state)
        return place < count && self[place] == state
    }
}

extension Chart {
    /// Where the descendants of a state are among those states.
    func descendants(of state: Int, in states: [Int]) -> Range<Int> {
        let first = states.place(of: state + 1)
        return first..<Swift.max(first, states.place(of: ends[state]))
    }
}
