// Where the page is served, and to whom.

import HTTP
import Posix

package struct WebSettings: Equatable, Sendable {
    package var address: TcpAddress
    /// Whether whoever reaches it may use it; on loopback only.
    package var isOpen = false
    /// Whether it is served over TLS.
    package var isEncrypted = false
    /// Names by which browsers may call this machine, besides its addresses.
    package var names: [String] = []
    /// Whether /metrics needs no login.
    package var hasOpenMetrics = false
    /// Where logins are kept over a restart; nil if they are not.
    package var loginFile: String?
    /// Where the page's files are read from in place of those compiled in: for who works on the page.
    package var pageFolder: String?
    package var limits = HTTPLimits()

    package init(_ address: TcpAddress) { self.address = address }

    /// The address with the name that this machine is called by, which is what a certificate is made out to.
    func calledAs(_ address: String) -> String {
        guard let name = names.first, let port = HostAndPort(address)?.port else { return address }
        return HostAndPort(host: name, port: port).description
    }
}
