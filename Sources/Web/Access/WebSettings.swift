// Where the page is served, and to whom.

import HTTP
import Posix

package struct WebSettings: Equatable, Sendable {
    package var address: TcpAddress
    /// Whether whoever reaches it may use it; on loopback only.
    package var isOpen = false
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
}
