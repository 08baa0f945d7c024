// Whose a line of the history is: a session that was dropped and begun again has the name and often the place of the one before it.

/// Follows each place's lines from version to version. Within one life they are without a gap.
struct Lives {
    private var versions: [Int64: UInt32] = [:]

    /// Whether the line belongs to another session than the one before it at that place.
    mutating func begins(with line: KeptLine) -> Bool {
        defer { versions[line.session] = line.version }
        guard let last = versions[line.session] else { return false }
        return line.version != (line.refused == nil ? last &+ 1 : last)
    }

    /// Where the lines of each place have led to.
    var lastVersions: some Sequence<(place: Int64, version: UInt32)> { versions.lazy.map { ($0.key, $0.value) } }
}
