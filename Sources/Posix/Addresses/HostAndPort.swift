// `HOST:PORT`, as people write it.

import Texts

/// A host and a port, for listening and for connecting. An IPv6 address is written in brackets.
package struct HostAndPort: Equatable, Sendable, CustomStringConvertible {
    /// Without brackets.
    package let host: String
    package let port: UInt16
    /// Whether the host was in brackets, and so must be an IPv6 address.
    package let isBracketed: Bool

    /// `option` and `examples` are for the error.
    package init(_ text: String, option: String, examples: String) throws(UsageError) {
        guard let address = HostAndPort(text) else { throw Self.error(text, option: option, examples: examples) }
        self = address
    }

    /// Nil if the text has another form.
    package init?(_ text: String) {
        // Bytes are looked at, since each request over HTTP has such a text or two.
        let (bytes, colon) = (text.utf8, UInt8(ascii: ":"))
        guard let end = bytes.lastIndex(of: colon), let port = UInt16(text[bytes.index(after: end)...]) else { return nil }
        let written = bytes[..<end]
        isBracketed = written.first == UInt8(ascii: "[") && written.last == UInt8(ascii: "]") && written.count > 1
        let host = isBracketed ? written.dropFirst().dropLast() : written
        guard !host.isEmpty, isBracketed || !host.contains(colon) else { return nil }
        (self.host, self.port) = (String(Substring(host)), port)
    }

    package init(host: String, port: UInt16) {
        (self.host, self.port, isBracketed) = (host, port, host.contains(":"))
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    package static func error(_ text: String, option: String, examples: String) -> UsageError {
        UsageError(of: option, "is HOST:PORT, like \(examples), not '\(text.shortened)'")
    }
}
