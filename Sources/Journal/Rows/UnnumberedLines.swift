// Whose a line of the history is that was written before lives had numbers: a session that was dropped and begun again had the name
// and often the slot of the one before it.

/// Follows each slot's unnumbered lines from version to version. Within one life they are without a gap.
struct UnnumberedLines {
    private var versions: [Int64: UInt32] = [:]

    /// Whether the line, which may be a numbered one, belongs to another session than the unnumbered ones before it in that slot.
    mutating func end(before line: StoredLine) -> Bool {
        let last = versions[line.session]
        versions[line.session] = line.life == nil ? line.version : nil
        return last.map { line.version != (line.refused == nil ? $0 &+ 1 : $0) } ?? false
    }

    /// Where the lines of each slot have led to that has no numbered ones.
    var lastVersions: some Sequence<(slot: Int64, version: UInt32)> { versions.lazy.map { ($0.key, $0.value) } }
}
