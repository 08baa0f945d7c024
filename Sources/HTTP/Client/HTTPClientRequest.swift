// What is asked of another node.

import Posix

package struct HTTPClientRequest {
    package var method: String
    /// As it stands in the first line.
    package var target: String
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// The answer goes on until somebody ends it.
    package var isStream: Bool

    package init(
        _ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
        isStream: Bool = false
    ) {
        (self.method, self.target, self.headers, self.body, self.isStream) = (method, target, headers, body, isStream)
    }

    /// As HTTP/1.0 has it, whose bodies come as they are. A stream ends with its connection; other answers say how long they are if the
    /// connection may be kept.
    func bytes(for place: HostAndPort) -> [UInt8] {
        var text = "\(method) \(target) HTTP/1.0\r\nHost: \(place)\r\nConnection: \(isStream ? "close" : "keep-alive")\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        if !body.isEmpty || method != "GET" { text += "Content-Length: \(body.count)\r\n" }
        return Array((text + "\r\n").utf8) + body
    }
}
