// Unknown members of a client's data for a state, which Codable would ignore.

import Texts

/// The members of a value that a state asks for while it is decoded. A type may read the value several times, as different types: there is one
/// object for each value, and it is checked once the whole state is decoded. Only for data of a client: a saved state may have had more values.
final class AskedMembers {
    private let given: [JSON.Member]
    private let path: String
    private var names: [String] = []
    private var known: Set<String> = []
    /// Those of the values inside, in the order in which they were first read; their indexes by name, or by position in a list.
    private var inside: [AskedMembers] = []
    private var indexes: [String: Int] = [:]
    private var hasAll = false

    init(of given: [JSON.Member], at path: String) {
        self.given = given
        self.path = path
    }

    func add(_ name: String) {
        if known.insert(name).inserted { names.append(name) }
    }

    /// The value is read as it is.
    func addAll() { hasAll = true }

    /// The asked members of the value of this name, which has these members.
    func inside(_ name: String, _ given: [JSON.Member], at path: String) -> AskedMembers {
        if let index = indexes[name] { return inside[index] }
        let asked = AskedMembers(of: given, at: path)
        indexes[name] = inside.count
        inside.append(asked)
        return asked
    }

    /// Throws if a member was given that nothing has asked for.
    func check() throws(RestorationError) {
        for asked in inside { try asked.check() }
        guard !hasAll, let unknown = given.first(where: { !known.contains($0.name) }) else { return }
        // An unlabelled timer has a number as its key.
        let labels = names.filter { !$0.hasPrefix("_") }
        let advice = labels.isEmpty ? "it has none" : labels.available
        throw RestorationError("there is no value '\(unknown.name.shortened)'; \(advice)", at: path)
    }
}
