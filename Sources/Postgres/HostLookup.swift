// The addresses of the database's host.

import Glibc

package enum HostLookup {
    /// In the order in which they are to be tried. It blocks.
    package static func addresses(of name: String) throws(PostgresError) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let problem = getaddrinfo(name, nil, &hints, &found)
        guard problem == 0 else {
            let reason = gai_strerror(problem).map { String(cString: $0) } ?? "unknown"
            throw PostgresError(.notSent, "could not translate host name \"\(name)\" to address: \(reason)")
        }
        defer { freeaddrinfo(found) }
        var (addresses, next): ([String], UnsafeMutablePointer<addrinfo>?) = ([], found)
        while let entry = next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 {
                addresses.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
            }
            next = entry.ai_next
        }
        return addresses
    }
}
