// Options of the command line: the lists that parsing, errors, help and completion are made from.

import GameDaemon

/// One option, with a value or without.
package struct Option: Sendable, Equatable {
    package let name: String
    /// What its value is; nil if it takes none.
    package let label: String?
    package let help: String

    init(_ name: String, _ label: String? = nil, _ help: String) {
        self.name = name
        self.label = label
        self.help = help
    }

    var usage: String { label.map { "\(name) \($0)" } ?? name }
}

extension Option {
    /// Those that every command takes.
    package static let global = [
        Option("--socket", "PATH", "the daemon's socket ($GAMED_SOCKET, or \(DefaultPlaces.socket))"),
        Option("--connect", "HOST:PORT", "a daemon that listens on TCP"),
        Option("--token", "TOKEN", "says who you are, where the daemon asks for it ($GAMED_TOKEN)"),
        Option("--json", nil, "print JSON, also for errors"),
        Option("--help", nil, "print help, for the command if there is one"),
        Option("--version", nil, "print the version"),
    ]
}
