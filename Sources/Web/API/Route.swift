// An operation of the API: its method and path, its input, and its action. One list serves the dispatcher and the documentation.

import Commands
import GameFlow
import HTTP
import RESP

/// A class, since a request goes through many of them.
final class Route: Sendable {
    /// The clients that may use the operation.
    enum Access: Sendable {
        case open
        /// Clients that have logged in; all clients if the page is open.
        case visitors
    }

    enum Part: Equatable, Sendable {
        case word(String)
        /// Matches any text, as the parameter of this name.
        case parameter(String)
    }

    typealias Action = @Sendable (WebCall) throws(CommandError) -> Void

    let method: HTTPRequest.Method
    /// As people write it: `/api/sessions/{name}/events`.
    let path: String
    let parts: [Part]
    let summary: String
    let needs: Needs
    let access: Access
    let query: [Field]
    /// The members of the body; nil if it has none.
    let body: [Field]?
    let bodyLimit: BodyLimit
    let headers: [Field]
    /// The name of the answer's schema, and its status.
    let answer: String
    let status: Int
    /// The response's content type, if it is not JSON.
    let contentType: String
    /// Other content types that the response may have.
    let otherTypes: [String]
    let run: Action

    init(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, needs: Needs, access: Access = .visitors,
        query: [Field] = [],
        body: [Field]? = nil, bodyLimit: BodyLimit = .words, headers: [Field] = [], answer: String = "Message",
        status: Int = 200, contentType: String = "application/json",
        otherTypes: [String] = [],
        run: @escaping Action
    ) {
        (self.method, self.path, self.summary, self.needs, self.access) = (method, path, summary, needs, access)
        (self.query, self.body, self.bodyLimit, self.headers) = (query, body, bodyLimit, headers)
        (self.answer, self.status, self.contentType, self.otherTypes) = (answer, status, contentType, otherTypes)
        self.run = run
        parts = path.split(separator: "/").map { part in
            part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .word(String(part))
        }
    }

    /// Whether it may use reserved capacity: its response is small and immediate.
    var isHealthCheck: Bool { path == "/healthz" || path == "/readyz" }

    /// Throws if a body of this many bytes is longer than the operation reads.
    func check(bodyOf count: Int, _ limits: Limits) throws(CommandError) {
        let max = bodyLimit.bytes(limits)
        guard count > max else { return }
        throw CommandError(.tooLarge, "\(method.rawValue) \(path) accepts a body of at most \(max) bytes, not \(count)")
    }

    func matches(_ segments: [String]) -> Bool {
        guard segments.count == parts.count else { return false }
        for place in parts.indices {
            if case .word(let word) = parts[place], word != segments[place] { return false }
        }
        return true
    }

    func parameters(in segments: [String]) -> [String: String] {
        var parameters: [String: String] = [:]
        for place in parts.indices {
            if case .parameter(let name) = parts[place] { parameters[name] = segments[place] }
        }
        return parameters
    }
}

// MARK: - One status for each code of an error.

extension ErrorCode {
    /// The code and its status, as the documentation lists them.
    static let statuses: [(code: ErrorCode, status: Int)] = [
        (.noSession, 404), (.noFlow, 404), (.noTimer, 404), (.noDevice, 404), (.noPage, 404),
        (.noTransition, 409), (.stale, 409), (.vetoed, 409), (.exists, 409), (.setAside, 409), (.notConnected, 409),
        (.busy, 409),
        (.badEvent, 400), (.badName, 400), (.badFlow, 400), (.badConfiguration, 400), (.badDevices, 400), (.generic, 400),
        (.wrongToken, 401),
        (.notAuthenticated, 401), (.noPermission, 403), (.moved, 421), (.crossSlot, 400), (.noMethod, 405), (.tooLarge, 413),
        (.noJSON, 415),
        (.limit, 429), (.quota, 429),
        (.journal, 503),
        (.tryAgain, 503), (.clusterDown, 503),
        (.loading, 503), (.unknown, 500), (.backupFailed, 500), (.timeout, 504),
    ]

    var status: Int { Self.statuses.first { $0.code == self }?.status ?? 400 }
}
