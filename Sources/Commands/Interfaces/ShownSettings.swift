// The daemon's settings and its page, as the commands CONFIG SHOW and PAGE know them.

package struct ShownSetting {
    package let name: String
    /// The value in force.
    package let value: String
    /// The origin of the value: a place in a file, a variable, an option, CONFIG SET, or `default`.
    package let origin: String
    /// The value after a restart, where the configuration has changed.
    package let pending: String?

    package init(name: String, value: String, origin: String, pending: String? = nil) {
        (self.name, self.value, self.origin, self.pending) = (name, value, origin, pending)
    }
}

package protocol ShownSettings: AnyObject {
    var settings: [ShownSetting] { get }
}

/// The settings that RELOAD and SIGHUP apply, as the help lists them; others need a restart. Limits have a list of their own.
package enum LiveSetting: String, CaseIterable {
    case tokenFile = "token-file"
    case allowedUsers = "allow-user"
    case allowedGroups = "allow-group"
    case certificate = "tls-cert"
    case key = "tls-key"
    case clientAuthorities = "tls-client-ca"
    case flows
    case bluetooth
    case limit
    case log
    case logTime = "log-time"

    /// The settings that RELOAD applies, in words.
    static var sentence: String {
        let others = allCases.filter { $0 != .limit }.map(\.rawValue)
        return "RELOAD applies \(others.joined(separator: ", ")), and limits other than \(fixedLimits); "
            + "TLS can be turned on and off only with a restart, which all other settings need, too."
    }

    /// The names of the limits that are set at start only.
    static var fixedLimits: String {
        let names = Limit.all.filter(\.isSetAtStart).map(\.name)
        return "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
    }
}

package protocol LoginPage: AnyObject {
    /// A new link to the page, which logs in once.
    var link: String { get }
}
