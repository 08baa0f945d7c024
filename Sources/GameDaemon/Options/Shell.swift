import Posix

/// A shell that completes gamed's options.
enum Shell: String, Sendable, CaseIterable {
    case bash, zsh, fish

    init(named name: String) throws(UsageError) {
        guard let shell = Self(rawValue: name) else { throw UsageError("unknown shell '\(name)'; available: bash, zsh, fish") }
        self = shell
    }
}
