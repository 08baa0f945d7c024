// Options of the command line. Parsing, errors, help and completion are all made from these lists.

import GameFlow
import Installation

/// An option, with or without a value.
package struct Option: Sendable, Equatable {
    package let name: String
    /// Names its value; nil if it takes none.
    package let label: String?
    package let help: String

    package init(_ name: String, _ label: String? = nil, _ help: String) {
        self.name = name
        self.label = label
        self.help = help
    }

    package var usage: String { label.map { "\(name) \($0)" } ?? name }
}

/// The options that every command takes.
package enum GlobalOption: String, CaseIterable, Sendable {
    case socket = "--socket"
    case connect = "--connect"
    case token = "--token"
    case tokenFile = "--token-file"
    case tls = "--tls"
    case tlsCA = "--tls-ca"
    case tlsCertificate = "--tls-cert"
    case tlsKey = "--tls-key"
    case json = "--json"
    case help = "--help"
    case version = "--version"

    package var option: Option {
        switch self {
        case .socket: Option(rawValue, "PATH", "the daemon's socket ($GAMED_SOCKET, or \(DefaultPaths.socket))")
        case .connect: Option(rawValue, "HOST:PORT", "a daemon that listens on TCP")
        case .token: Option(rawValue, "TOKEN", "authenticates you where the daemon asks for it ($GAMED_TOKEN)")
        case .tokenFile: Option(rawValue, "FILE", "the same, from the first line of a file, which no list of processes shows")
        case .tls: Option(rawValue, nil, "speak TLS with --connect ($GAMED_TLS)")
        case .tlsCA:
            Option(rawValue, "FILE", "whose certificates to believe, in place of those this machine trusts ($GAMED_TLS_CA)")
        case .tlsCertificate:
            Option(rawValue, "FILE", "the certificate to show where the daemon asks for one ($GAMED_TLS_CLIENT_CERT)")
        case .tlsKey: Option(rawValue, "FILE", "its key ($GAMED_TLS_CLIENT_KEY)")
        case .json: Option(rawValue, nil, "print JSON, also for errors")
        case .help: Option(rawValue, nil, "print help, for the command if there is one")
        case .version: Option(rawValue, nil, "print the version")
        }
    }

    package static var options: [Option] { allCases.map(\.option) }
}
