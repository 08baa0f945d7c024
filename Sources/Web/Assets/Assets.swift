// The page's files: compiled in, or read from a folder during development.

import CFiles
import HTTP
import Memory
import Posix
import RESP

struct Assets {
    let folder: String?

    /// The file, or 304 without it if it has one of the tags in `knownTags`, the request's If-None-Match. Nil if there is no such file.
    func response(_ name: String, knownTags: String?) -> HTTPResponse? {
        guard let type = Self.type(of: name), let bytes = bytes(name) else { return nil }
        // They change with the daemon: browsers ask each time whether they have.
        let tag = "\"\(FNV1a(bytes).hexadecimal)\""
        let headers = [("Cache-Control", "no-cache"), ("ETag", tag)]
        if let knownTags, Self.matches(knownTags, tag) { return HTTPResponse(304, headers) }
        return HTTPResponse(200, [("Content-Type", type)] + headers, .asset(bytes))
    }

    /// Proxies that compress a file mark its tag as weak, with `W/`.
    private static func matches(_ knownTags: String, _ tag: String) -> Bool {
        knownTags.split { ", \t".contains($0) }.contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
    }

    private func bytes(_ name: String) -> [UInt8]? {
        guard let folder else { return PageFiles.bytes(of: name) }
        guard name.utf8.allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "/") }), !name.hasPrefix(".") else { return nil }
        return try? PlainFile.bytes("\(folder)/\(name)", atMost: 1 << 20)
    }

    private static func type(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "webmanifest": "application/manifest+json"
        case "png": "image/png"
        default: nil
        }
    }
}

// MARK: - The files that are compiled in, by name

enum PageFiles {
    private static let numbers: [String: Int] = {
        var numbers: [String: Int] = [:]
        while let name = gamed_page_file(numbers.count).name { numbers[String(cString: name)] = numbers.count }
        return numbers
    }()

    static var names: Set<String> { Set(numbers.keys) }

    static func bytes(of name: String) -> [UInt8]? {
        guard let number = numbers[name] else { return nil }
        let file = gamed_page_file(number)
        return Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
    }
}
