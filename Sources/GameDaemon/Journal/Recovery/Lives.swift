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

    /// Where the lines of a place have led to; nil if there are none.
    func lastVersion(at place: Int64) -> UInt32? { versions[place] }
}
