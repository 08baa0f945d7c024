// An operation of the API: its method and path, its input, and its action. One list serves the dispatcher and the documentation.

import Commands
import GameFlow
import HTTP
import RESP

/// A class, since a request goes through many of them.
final class Route: Sendable {
    /// The clients that may use the operation.
    enum Access: Sendable {
        /// All clients.
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
    /// The fields of the query.
    let query: [Field]
    /// The members of the body; nil if it has none.
    let body: [Field]?
    /// Headers that it reads.
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
        body: [Field]? = nil, headers: [Field] = [], answer: String = "Message", status: Int = 200,
        contentType: String = "application/json",
        otherTypes: [String] = [],
        run: @escaping Action
    ) {
        self.method = method
        self.path = path
        self.summary = summary
        self.needs = needs
        self.access = access
        self.query = query
        self.body = body
        self.headers = headers
        self.answer = answer
        self.status = status
        self.contentType = contentType
        self.otherTypes = otherTypes
        self.run = run
        parts = path.split(separator: "/").map { part in
            part.hasPrefix("{") ? .parameter(String(part.dropFirst().dropLast())) : .word(String(part))
        }
    }

    /// Whether it may use reserved capacity: its response is small and immediate.
    var isHealthCheck: Bool { path == "/healthz" || path == "/readyz" }

    /// Whether this is its path.
    func matches(_ segments: [String]) -> Bool {
        guard segments.count == parts.count else { return false }
        for place in parts.indices {
            if case .word(let word) = parts[place], word != segments[place] { return false }
        }
        return true
    }

    /// The parameters in its path.
    func parameters(in segments: [String]) -> [String: String] {
        var parameters: [String: String] = [:]
        for place in parts.indices {
            if case .parameter(let name) = parts[place] { parameters[name] = segments[place] }
        }
        return parameters
    }
}
