// A request to another node.

import Posix

package struct HTTPClientRequest {
    package var method: String
    /// As it stands in the first line.
    package var target: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// The response continues until one side ends it.
    package var isStream: Bool

    package init(
        _ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        isStream: Bool = false
    ) {
        (self.method, self.target, self.headers, self.body, self.isStream) = (method, target, headers, body, isStream)
    }

    /// The request in HTTP/1.0, which sends bodies unencoded. A stream ends with its connection. Other responses give their length if the connection
    /// may be kept.
    func bytes(for place: HostAndPort) -> [UInt8] {
        var text = "\(method) \(target) HTTP/1.0\r\nHost: \(place)\r\nConnection: \(isStream ? "close" : "keep-alive")\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        if !body.isEmpty || method != "GET" { text += "Content-Length: \(body.count)\r\n" }
        return Array((text + "\r\n").utf8) + body
    }
}
