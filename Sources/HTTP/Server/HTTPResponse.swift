// The response to a request.

import CEvent

package struct HTTPResponse {
    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Body

    package enum Body {
        case none
        case text(String)
        /// Bytes that live as long as the program.
        case asset([UInt8])
    }

    package init(_ status: Int, _ headers: [(name: String, value: String)] = [], _ body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    var length: Int {
        switch body {
        case .none: 0
        case .text(let text): text.utf8.count
        case .asset(let bytes): bytes.count
        }
    }

    func fill(_ buffer: OpaquePointer?) {
        switch body {
        case .none: break
        case .text(var text): text.withUTF8 { _ = evbuffer_add(buffer, $0.baseAddress, $0.count) }
        case .asset(let bytes): bytes.withUnsafeBytes { _ = evbuffer_add(buffer, $0.baseAddress, $0.count) }
        }
    }

    /// The words that stand beside the number.
    static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 303: "See Other"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        default: "Status \(status)"
        }
    }
}
