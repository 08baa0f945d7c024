// A connection over which one request follows the other's answer.

import Foundation
import Glibc

final class KeptAlive {
    private let descriptor: Int32
    private let request: [UInt8]
    /// The bytes of an answer's body.
    private(set) var size = 0
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    init(port: UInt16, path: String) throws {
        descriptor = try StreamReaders.connected(port)
        request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        try ask()
    }

    deinit { close(descriptor) }

    func requestsPerSecond(_ count: Int) throws -> Double {
        let began = ContinuousClock.now
        for _ in 0..<count { try ask() }
        return Double(count) / (ContinuousClock.now - began).seconds
    }

    private func ask() throws {
        guard write(descriptor, request, request.count) == request.count else {
            throw BenchmarkError("a request was not taken")
        }
        var filled = 0
        repeat {
            let count = buffer[filled...].withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw BenchmarkError("an answer did not come") }
            filled += count
        } while !isWhole(filled)
    }

    /// Whether the header and as many bytes as it says have come.
    private func isWhole(_ filled: Int) -> Bool {
        let text = String(decoding: buffer[..<filled], as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"), let start = text.range(of: "content-length: ", options: .caseInsensitive)
        else {
            return false
        }
        size = Int(text[start.upperBound...].prefix(while: \.isNumber)) ?? 0
        return text.utf8.distance(from: end.upperBound, to: text.utf8.endIndex) >= size
    }
}
