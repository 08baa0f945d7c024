// Answers that may not leave yet: those of a turn that is not over, or not on disk.

import HTTP
import RESP

struct ResponseGate {
    enum Output {
        case answer(HTTPRequest, HTTPResponse)
        case part(HTTPStream, ArraySlice<UInt8>)

        fileprivate func leave() {
            switch self {
            case .answer(let request, let response): request.answer(response)
            case .part(let stream, let bytes): bytes.withUnsafeBytes { stream.send($0) }
            }
        }
    }

    /// Of the turn at hand.
    private var fresh: [Output] = []
    /// Those that wait for a batch, in order.
    private var waiting: [(batch: UInt64, outputs: [Output])] = []

    var isHolding: Bool { !fresh.isEmpty || !waiting.isEmpty }

    mutating func add(_ output: Output) { fresh.append(output) }

    /// The turn is over: its output leaves, or waits until this batch is on disk. Output leaves only where nothing waits: it may be the
    /// next part of a stream.
    mutating func release(awaiting batch: UInt64?) {
        guard !fresh.isEmpty else { return }
        let outputs = fresh
        fresh = []
        if let batch { return waiting.append((batch, outputs)) }
        for output in outputs { output.leave() }
    }

    mutating func release(through safe: UInt64) {
        while let first = waiting.first, first.batch <= safe {
            waiting.removeFirst()
            for output in first.outputs { output.leave() }
        }
    }

    /// Takes back the answers that wait, and ends the streams that would have been told what may not be true.
    mutating func retract() -> [HTTPRequest] {
        var requests: [HTTPRequest] = []
        for output in waiting.flatMap(\.outputs) {
            switch output {
            case .answer(let request, _): requests.append(request)
            case .part(let stream, _): stream.end()
            }
        }
        waiting = []
        return requests
    }
}

// MARK: - Security headers of every response

enum Security {
    static func headers(for response: HTTPResponse) -> [(name: String, value: String)] {
        let isData = response.headers.contains { $0.name == "Content-Type" && $0.value == "application/json" }
        return isData ? ofData : ofDocuments
    }

    /// For JSON. Browsers show it as text, so headers that restrict documents are left out.
    private static let ofData: [(name: String, value: String)] = [
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"), ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    static let ofDocuments: [(name: String, value: String)] = [
        ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("X-Frame-Options", "DENY"), ("Permissions-Policy", "camera=(), microphone=(), geolocation=()"),
    ]

    /// Loads only from this origin, without inline code.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:", "connect-src 'self'",
        "worker-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
    ].joined(separator: "; ")
}
