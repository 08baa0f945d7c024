// Which addresses speak TLS, and with which certificate.

import Logging
import Posix
import TLS

extension Options {
    /// Whether there is a certificate. TLS is turned on and off with a restart.
    var hasCertificate: Bool { tls.certificate != nil }

    /// Whether TLS is spoken there.
    func isEncrypted(_ address: TcpAddress) -> Bool { address.asksForTLS ?? hasCertificate }

    /// What new connections are shown; nil without a certificate. Throws if something is missing, or a file is wrong.
    func tlsContext() throws -> TLSContext? {
        try checkTLS()
        guard hasCertificate else { return nil }
        return try locating("tls-cert") { try TLSContext.server(tls) }
    }

    private func checkTLS() throws {
        switch (tls.certificate, tls.key) {
        case (.some, nil):
            throw located(UsageError(of: "--tls-cert", "needs the certificate's key, too: --tls-key FILE"), "tls-cert")
        case (nil, .some): throw located(UsageError(of: "--tls-key", "needs its certificate, too: --tls-cert FILE"), "tls-key")
        case (.some, .some): return
        case (nil, nil): break
        }
        if tls.authority != nil {
            let error = UsageError(of: "--tls-client-ca", "needs a certificate of our own: --tls-cert FILE --tls-key FILE")
            throw located(error, "tls-client-ca")
        }
        guard let (setting, address) = tcpAddresses.first(where: { $0.1.asksForTLS == true }) else { return }
        let error = UsageError("\(address) is to speak TLS, which needs a certificate: --tls-cert FILE --tls-key FILE")
        throw located(error, setting)
    }

    /// With the setting that each comes from.
    private var tcpAddresses: [(String, TcpAddress)] {
        let page: [(String, TcpAddress)] = if case .address(let address) = web.place { [("http", address)] } else { [] }
        return addresses.map { ("listen", $0) } + page
    }

    /// Addresses where others in the network can read along.
    var readableByOthers: [TcpAddress] { tcpAddresses.map(\.1).filter { !$0.isLoopback && !isEncrypted($0) } }
}

extension Options {
    /// Tells what is doubtful, once nothing is wrong.
    func warn(of context: TLSContext?, _ log: Log) {
        for warning in context?.warnings ?? [] { log.warning(warning) }
        for address in readableByOthers {
            log.warning(
                "other machines can reach \(address), and whoever stands between them can read along, the token, too: "
                    + "--tls-cert FILE and --tls-key FILE encrypt it")
        }
    }
}
