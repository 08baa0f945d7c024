import Posix

/// A page of the manual, by name.
enum ManualPage: String, Sendable, CaseIterable {
    /// gamed(8): the program.
    case gamed
    /// gamed-commands(7): the commands.
    case commands = "gamed-commands"
    /// gamed-flow(5): flow files.
    case flow = "gamed-flow"
    /// The configuration file, with every setting commented out at its default.
    case configuration = "gamed.json5"

    init(named name: String) throws(UsageError) {
        guard let page = Self(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("there is no page '\(name)'; available: \(names)")
        }
        self = page
    }
}
