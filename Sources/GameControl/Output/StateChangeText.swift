// A change of state for people: of parallel states only those that have changed.

/// `lamp.off -> lamp.on`, where the session went from `door.ajar,lamp.off` to `door.ajar,lamp.on`.
func stateChange(from: String, to: String) -> String {
    // A state of a Swift flow may have commas of its own, between parentheses.
    guard !from.contains("("), !to.contains("(") else { return "\(from) -> \(to)" }
    let (before, after) = (from.split(separator: ","), to.split(separator: ","))
    let (left, entered) = (before.filter { !after.contains($0) }, after.filter { !before.contains($0) })
    guard !left.isEmpty, !entered.isEmpty else { return "\(from) -> \(to)" }
    return "\(left.joined(separator: ",")) -> \(entered.joined(separator: ","))"
}
