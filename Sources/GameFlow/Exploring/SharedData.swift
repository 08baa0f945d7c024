// Compares what two flows' states carry, as far as both carry it.

/// The values in a state's data by the dotted paths of their names; timers are left out.
///
/// Two flows rarely arrange their data alike: one has `play.seconds` where the other has `seconds`. So it compares values at the same path and, of
/// the rest, those with a last name that occurs once on either side. A value that only one flow has is not compared.
struct SharedData {
    private var leaves: [(path: String, value: JSON)] = []

    init(of data: JSON) {
        collect(data.withoutTimers, at: "")
    }

    private mutating func collect(_ value: JSON, at path: String) {
        guard case .object(let members) = value else { return leaves.append((path, value)) }
        for member in members { collect(member.value, at: path.isEmpty ? member.name : "\(path).\(member.name)") }
    }

    /// The first value that both have and that differs: `episode is 1 against 2`.
    func difference(from other: SharedData) -> String? {
        for leaf in leaves {
            guard let theirs = other.leaves.first(where: { $0.path == leaf.path }) ?? namesake(of: leaf.path, in: other) else {
                continue
            }
            guard !leaf.value.isSame(as: theirs.value) else { continue }
            return "\(leaf.path) is \(leaf.value) against \(theirs.path == leaf.path ? "" : "\(theirs.path) ")\(theirs.value)"
        }
        return nil
    }

    private func namesake(of path: String, in other: SharedData) -> (path: String, value: JSON)? {
        let name = Self.lastName(of: path)
        let (ours, theirs) = (leaves.filter { Self.lastName(of: $0.path) == name }, other.leaves(named: name))
        return ours.count == 1 && theirs.count == 1 ? theirs[0] : nil
    }

    private func leaves(named name: Substring) -> [(path: String, value: JSON)] {
        leaves.filter { Self.lastName(of: $0.path) == name }
    }

    private static func lastName(of path: String) -> Substring { path.split(separator: ".").last ?? "" }
}

extension JSON {
    /// Whether the values are equal: 1 equals 1.0.
    fileprivate func isSame(as other: JSON) -> Bool {
        switch (self, other) {
        case (.integer, .number), (.number, .integer): double == other.double
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { member in other[member.name].map(member.value.isSame) ?? false }
        default: self == other
        }
    }
}
