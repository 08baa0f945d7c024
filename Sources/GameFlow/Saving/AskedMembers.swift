// Unknown members of a client's data for a state, which Codable would ignore.

import Texts

/// The members of an object that a state asks for while it is decoded. Only for data of a client: a state that was saved may have had more values.
final class AskedMembers {
    private let given: [JSON.Member]
    private let path: String
    private var names: [String] = []
    /// Those of nested containers.
    private var inside: [AskedMembers] = []

    init(of given: [JSON.Member], at path: String) {
        self.given = given
        self.path = path
    }

    func add(_ name: String) {
        if !names.contains(name) { names.append(name) }
    }

    /// For a nested container.
    func inside(_ given: [JSON.Member], at path: String) -> AskedMembers {
        let asked = AskedMembers(of: given, at: path)
        inside.append(asked)
        return asked
    }

    /// Throws if a member was given that nothing has asked for.
    func check() throws(RestorationError) {
        for asked in inside { try asked.check() }
        guard let unknown = given.first(where: { !names.contains($0.name) }) else { return }
        // An unlabelled timer has a number as its key.
        let known = names.filter { !$0.hasPrefix("_") }
        let advice = known.isEmpty ? "it has none" : known.available
        throw RestorationError("there is no value '\(unknown.name.shortened)'; \(advice)", at: path)
    }
}
