// Versions tell which session owns a history line from before lives were numbered: a session that was dropped and begun again had
// the name of the one before it, and often its slot.

/// Follows each slot's unnumbered lines from version to version. Within one session versions have no gap.
struct UnnumberedLines {
    private var versions: [Int64: UInt32] = [:]

    /// Whether the line, numbered or not, begins another session than the unnumbered lines before it in its slot.
    mutating func end(before line: StoredLine) -> Bool {
        let last = versions[line.session]
        versions[line.session] = line.life == nil ? line.version : nil
        return last.map { line.version != (line.what.isChange ? $0 &+ 1 : $0) } ?? false
    }

    /// The last version of each slot whose lines end unnumbered.
    var lastVersions: some Sequence<(slot: Int64, version: UInt32)> { versions.lazy.map { ($0.key, $0.value) } }
}
