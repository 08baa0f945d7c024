// Options of the command line. Parsing, errors, help and completion are all made from these lists.

import GameFlow
import Posix

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
        case .connect: Option(rawValue, "HOST:PORT", "connect to a daemon over TCP")
        case .token: Option(rawValue, "TOKEN", "token to authenticate with ($GAMED_TOKEN)")
        case .tokenFile: Option(rawValue, "FILE", "file with the token; unlike --token, hidden from process lists")
        case .tls: Option(rawValue, nil, "use TLS with --connect ($GAMED_TLS)")
        case .tlsCA:
            Option(rawValue, "FILE", "authorities to trust instead of this machine's ($GAMED_TLS_CA)")
        case .tlsCertificate:
            Option(rawValue, "FILE", "client certificate, for daemons that require one ($GAMED_TLS_CLIENT_CERT)")
        case .tlsKey: Option(rawValue, "FILE", "its key ($GAMED_TLS_CLIENT_KEY)")
        case .json: Option(rawValue, nil, "print JSON, also for errors")
        case .help: Option(rawValue, nil, "print help, for the command if there is one")
        case .version: Option(rawValue, nil, "print the version")
        }
    }

    package static var options: [Option] { allCases.map(\.option) }
}
