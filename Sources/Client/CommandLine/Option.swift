// Options of the command line. Parsing, errors, help and completion are all made from these lists.

import GameFlow
import Posix

/// An option of a program or of one of its commands. It is given as `--name`, `--name VALUE` or `--name=VALUE`.
package struct Option: Sendable {
    package let name: String
    /// Names its value; nil if it takes none.
    package let label: String?
    package let help: String
    /// Whether its value may be missing: the next word is the value, unless that is an option.
    package let isValueOptional: Bool
    /// Whether it can be given several times. Otherwise all values but one would be ignored.
    package let isRepeatable: Bool
    /// Whether its value is a positive whole number.
    package let isCount: Bool
    package let scope: OptionScope

    package init(
        _ name: String, _ label: String? = nil, _ help: String, isValueOptional: Bool = false, isRepeatable: Bool = false,
        isCount: Bool = false, _ scope: OptionScope = .anywhere
    ) {
        self.name = name
        self.label = label
        self.help = help
        self.isValueOptional = isValueOptional
        self.isRepeatable = isRepeatable
        self.isCount = isCount
        self.scope = scope
    }

    package var usage: String {
        guard let label else { return name }
        return isValueOptional ? "\(name) [\(label)]" : "\(name) \(label)"
    }

    /// Splits a word of a command line at its first equals sign.
    package static func split(_ word: String) -> (name: String, value: String?) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : nil)
    }

    /// Returns its value, which is `inline` behind the equals sign or the next word; nil for an option without one.
    package func value(_ inline: String?, or rest: inout ArraySlice<String>) throws(UsageError) -> String? {
        if label == nil {
            guard inline == nil else { throw UsageError(of: name, "takes no value") }
            return nil
        }
        if isValueOptional { return inline ?? (rest.first?.hasPrefix("-") == false ? rest.popFirst() : nil) }
        guard let value = inline ?? rest.popFirst(), !value.isEmpty else {
            throw UsageError(of: name, "needs a value: \(usage)")
        }
        if isCount, Int(value) ?? 0 < 1 {
            throw UsageError(of: name, "is a positive whole number, not '\(value.shortened)'")
        }
        return value
    }
}

/// The options of the program itself, which every command takes. Those of the connection are settings like their variables: a command that
/// needs no daemon ignores them, and the other nodes of a cluster are reached through TLS also beside a UNIX socket. Over
/// the socket of a daemon without a cluster, TLS options are refused.
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
        case .socket:
            Option(
                rawValue, "PATH", "the daemon's socket ($GAMED_SOCKET, or \(DefaultPaths.socket))",
                .without(Self.connect.rawValue, because: "that names the daemon to ask"))
        case .connect: Option(rawValue, "HOST:PORT", "connect to a daemon over TCP")
        case .token:
            Option(
                rawValue, "TOKEN", "token to authenticate with ($GAMED_TOKEN)",
                .without(Self.tokenFile.rawValue, because: "that gives the token"))
        case .tokenFile: Option(rawValue, "FILE", "file with the token; unlike --token, hidden from process lists")
        case .tls: Option(rawValue, nil, "use TLS over TCP ($GAMED_TLS)")
        case .tlsCA: Option(rawValue, "FILE", "authorities to trust instead of this machine's ($GAMED_TLS_CA)")
        case .tlsCertificate:
            Option(
                rawValue, "FILE", "client certificate, for daemons that require one ($GAMED_TLS_CLIENT_CERT)",
                .beside(Self.tlsKey.rawValue, because: "a certificate requires its key"))
        case .tlsKey:
            Option(
                rawValue, "FILE", "its key ($GAMED_TLS_CLIENT_KEY)",
                .beside(Self.tlsCertificate.rawValue, because: "a key requires its certificate"))
        case .json: Option(rawValue, nil, "print JSON, also for errors")
        case .help: Option(rawValue, nil, "print help, for the command if there is one")
        case .version: Option(rawValue, nil, "print the version")
        }
    }

    package static var options: [Option] { allCases.map(\.option) }
}
