// Security headers of every response.

import HTTP

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
