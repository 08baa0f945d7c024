// Events that the platform raises, which need no entry in the catalogue.

import GameFlow

enum PlatformEvents {
    private static let families = ["done.state.", "done.invoke.", "error.invoke."]
    private static let alone = ["error.communication"]

    static func contains(_ name: String) -> Bool { alone.contains(name) || families.contains(where: name.hasPrefix) }

    /// Whether some of them begin with this word or words.
    static func begin(with prefix: String) -> Bool {
        (families + alone).contains { $0.hasPrefix(prefix + ".") || (prefix + ".").hasPrefix($0) } || alone.contains(prefix)
    }

    static func rest(of name: String, after prefix: String) -> String? {
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
    }

    /// Who may send an event, unless the catalogue says it.
    static let usualSources: EventSources = [.clients, .orchestrators]
}
