// Shared constants of an installed gamed and its clients: the version, and the places where they meet.

import Glibc

package let gamedVersion = "0.1.0"

/// Used where no option overrides it.
package enum DefaultPaths {
    /// In the directory that systemd gives; `/run/gamed` for root, the user's own runtime directory for a user.
    package static let socket = directory + "/gamed.sock"

    /// Where the service of this machine listens.
    package static let serviceSocket = "/run/gamed/gamed.sock"

    /// The daemon that a client connects to: the user's own, if there is one, and else the machine's.
    package static let socketForClients = socketForClients(own: socket, machines: serviceSocket)

    static func socketForClients(own: String, machines: String) -> String {
        // A socket that this user may not see counts as present.
        access(own, F_OK) != 0 && (access(machines, F_OK) == 0 || errno == EACCES) ? machines : own
    }

    /// The directory that systemd gives; `/var/lib/gamed` for root; the user's own data directory for a user.
    package static let data: String = {
        if let state = environmentVariable("STATE_DIRECTORY") { return String(state.prefix { $0 != ":" }) }
        if geteuid() == 0 { return "/var/lib/gamed" }
        if let data = environmentVariable("XDG_DATA_HOME") { return data + "/gamed" }
        return (environmentVariable("HOME") ?? "/tmp/gamed-\(geteuid())") + "/.local/share/gamed"
    }()

    private static let directory: String = {
        if let runtime = environmentVariable("RUNTIME_DIRECTORY") { return String(runtime.prefix { $0 != ":" }) }
        if geteuid() == 0 { return "/run/gamed" }
        if let runtime = environmentVariable("XDG_RUNTIME_DIR") { return runtime + "/gamed" }
        return "/tmp/gamed-\(geteuid())"
    }()
}

// MARK: - Environment variables.

extension Bool {
    /// A flag's value in the environment; nil for any other text.
    package init?(setting text: String) {
        switch text.lowercased() {
        case "true", "yes", "on", "1": self = true
        case "false", "no", "off", "0": self = false
        default: return nil
        }
    }
}

/// Nil where the variable is not set, or empty.
package func environmentVariable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}

/// Whether the variable's value is text in UTF-8; nil where it is not set, or empty.
package func isEnvironmentText(_ name: String) -> Bool? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(validatingCString: value) != nil
}

/// The words of the process's own command line, as bytes.
package enum CommandWords {
    /// The first word that is not UTF-8, counted from 1; nil if all are. Swift would repair it, and so open another file than the one
    /// named, or drop another session.
    package static var firstUnreadable: Int? {
        let words = CommandLine.unsafeArgv
        return (1..<max(1, Int(CommandLine.argc))).first { number in
            words[number].map { String(validatingCString: $0) == nil } ?? false
        }
    }
}
