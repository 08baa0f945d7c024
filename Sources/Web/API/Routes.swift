// Everything that can be asked for over HTTP.

extension Route {
    static let all: [Route] =
        pages + sessions + sessionActions + flows + time + devices + service + cluster + streams + sandboxes

    private static let bySegmentCount = Dictionary(grouping: all, by: \.parts.count)

    /// Those with this path, one for each method.
    static func matching(_ segments: [String]) -> [Route] {
        (bySegmentCount[segments.count] ?? []).filter { $0.matches(segments) }
    }
}
