// Headers that libevent takes and others would read otherwise: how one request is made to look like two to whoever stands between.

import CEvent

enum HeaderCheck {
    /// Those that decide where a request ends, and whom it is for.
    private static let unique = ["content-length", "transfer-encoding", "host"]

    /// What is wrong with them; nil if nothing is.
    static func fault(_ headers: UnsafeMutablePointer<evkeyvalq>) -> String? {
        var seen: Set<String> = []
        var next = headers.pointee.tqh_first
        while let header = next {
            let (name, value) = (String(cString: header.pointee.key).lowercased(), String(cString: header.pointee.value))
            if let fault = fault(name, value) { return fault }
            if unique.contains(name), !seen.insert(name).inserted { return "the header \(name) stands there twice" }
            next = header.pointee.next.tqe_next
        }
        if seen.contains("content-length"), seen.contains("transfer-encoding") {
            return "the length of the body is said in two ways"
        }
        return nil
    }

    private static func fault(_ name: String, _ value: String) -> String? {
        guard name.utf8.allSatisfy(isOfName) else { return "a header's name has other characters than names have" }
        switch name {
        case "content-length": return value.utf8.allSatisfy { (0x30...0x39).contains($0) } ? nil : "Content-Length is no number"
        case "transfer-encoding":
            return value.lowercased() == "chunked" ? nil : "Transfer-Encoding is chunked, and nothing else"
        default: return nil
        }
    }

    /// The characters of a token, after RFC 9110.
    private static func isOfName(_ byte: UInt8) -> Bool {
        let isLetterOrDigit = (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
        return isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
