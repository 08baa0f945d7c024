// The position in an incomplete request.

/// All offsets count from the first byte of the request.
enum RequestProgress {
    /// At the start of a request.
    case untouched
    /// In an inline request, which does not end before `searched`.
    case line(searched: Int)
    /// In the line that says how many arguments there are, which does not end before `searched`.
    case argumentCount(searched: Int)
    /// In the line that says how long the first of the `missing` arguments is: it begins at `start` and does not end before
    /// `searched`.
    case bulkLength(start: Int, searched: Int, missing: Int)
    /// In the first of the `missing` arguments, which begins at `start`.
    case bulk(start: Int, length: Int, missing: Int)

    /// How many bytes of the request are needed to make progress.
    var bytesNeeded: Int {
        switch self {
        case .untouched: 1
        case .line(let searched): searched + 1
        case .argumentCount(let searched): searched + 2
        case .bulkLength(let start, let searched, _): searched == start ? start + 1 : searched + 2
        case .bulk(let start, let length, _): start.addingSaturated(length).addingSaturated(2)
        }
    }
}

extension Int {
    fileprivate func addingSaturated(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
