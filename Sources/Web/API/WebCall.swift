// One request of the API: its words, and where the answer goes.

import Commands
import EventLoop
import GameFlow
import HTTP
import Memory
import Monitoring
import RESP
import Sessions
import Simulation
import Texts

final class WebCall {
    let site: any WebContext
    let request: HTTPRequest
    let route: Route
    let target: HTTPTarget
    private let parameters: [String: String]
    /// The body; an empty object if the request has none.
    let body: JSON
    let visitor: Visitor
    let credentials: Credentials
    private(set) var source = EventSource.ui
    /// Carries out its command, with the same checks and quotas as any other client. Nil once that is answered.
    private var caller: Client?

    init(
        _ request: HTTPRequest, _ target: HTTPTarget, _ route: Route, _ parameters: [String: String], _ visitor: Visitor,
        _ credentials: Credentials, of site: any WebContext
    ) throws(CommandError) {
        self.credentials = credentials
        (self.site, self.request, self.route, self.target) = (site, request, route, target)
        (self.parameters, self.visitor) = (parameters, visitor)
        body = try Self.body(of: request, route)
        try checkQuery()
    }

    var host: Host { site.host }

    /// Whether another node has passed it on.
    var isRelayed: Bool { credentials.isRelayed }

    /// The consumer that shared limits count the request for.
    var consumer: Consumer { Consumer(visitor, request.peer, isRelayed: isRelayed) }

    // MARK: Contents

    private static func body(of request: HTTPRequest, _ route: Route) throws(CommandError) -> JSON {
        guard let fields = route.body else { return .object([]) }
        if !request.body.isEmpty {
            guard hasJSON(request) else {
                throw CommandError(.noJSON, "the body is JSON, with the header Content-Type: application/json")
            }
        }
        guard let text = String(validating: request.body, as: UTF8.self) else {
            throw CommandError(.generic, "the body is not UTF-8")
        }
        let json: JSON
        do throws(JSONError) {
            json = text.isEmpty ? .object([]) : try JSON(parsing: text, within: .request)
        } catch {
            let sentence = error.hasTooManyValues ? "has \(error.problem)" : "is not JSON: \(error)"
            throw CommandError(.generic, "the body \(sentence)")
        }
        try Field.check(json, fields)
        return json
    }

    private static func hasJSON(_ request: HTTPRequest) -> Bool {
        let type = request.header("Content-Type") ?? ""
        return type == jsonType || (type.split(separator: ";").first ?? "").trimmed.lowercased() == jsonType
    }

    private static let jsonType = "application/json"

    private func checkQuery() throws(CommandError) {
        // A page's own script reads what stands there.
        guard route.contentType != "text/html" else { return }
        for (place, (name, value)) in target.query.enumerated() {
            guard let field = route.query.first(where: { $0.name == name }) else {
                let names = route.query.map(\.name)
                throw CommandError(.generic, "unknown query parameter '\(name.shortened)'; \(names.available)")
            }
            guard field.isRepeatable || !target.query[..<place].contains(where: { $0.name == name }) else {
                throw CommandError(.generic, "the query parameter '\(name)' occurs twice")
            }
            guard field.takes(query: value) else {
                throw CommandError(.generic, "'\(name)' is \(field.words), not '\(value.shortened)'")
            }
        }
    }

    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    func text(_ name: String) -> String? { body[name]?.text }

    /// A member that is a duration or a version, as a word.
    func word(_ name: String) -> String? {
        switch body[name] {
        case .string(let text): text
        case .integer(let number): String(number)
        default: nil
        }
    }

    /// A member; nil if it is not there, or null.
    func value(_ name: String) -> JSON? {
        guard let value = body[name], value != .null else { return nil }
        return value
    }

    /// The request's idempotency key, with or without quotation marks; nil if it has none.
    var id: String? {
        guard let text = request.header(RelaySigner.idHeader) else { return nil }
        let isQuoted = text.utf8.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"")
        return isQuoted ? String(text.dropFirst().dropLast()) : text
    }

    func count(else standard: Int, atMost most: Int) -> Int {
        guard let text = target.value("count") else { return standard }
        return min(Int(text) ?? standard, most)
    }

    // MARK: Requests

    var session: ByteString { ByteString(parameter("name")) }

    /// The request that the members of the body make, about the session or the device that the path names.
    func request<Request: CommandRequest>(_: Request.Type) throws(CommandError) -> Request {
        guard case .object(let members) = body else { throw CommandError(.generic, "the body is a JSON object") }
        let inPath = parameters.map { JSON.Member($0 == "name" ? "session" : $0, .string($1)) }
        return try Request.form.read(.object(members + inPath), within: host.limits)
    }

    /// Reads what its events count as, which only an orchestrator may say.
    func readSource() throws(CommandError) {
        guard value("source") != nil else { return }
        source = try request(ClientSourceRequest.self).source
        if source != .ui { try visitor.grant.check(source: source.name) }
    }

    /// Carries out a request; an error is the answer, otherwise `then` makes it.
    func perform<Request: CommandRequest>(_ request: Request, then: @escaping (Request.Value) -> Void) {
        let caller = Client(
            id: 0, from: source, grant: visitor.grant, token: visitor.token, keeping: 0, named: visitor.actor,
            awaitsAnswers: true, of: host)
        self.caller = caller
        caller.call.perform(request) { [self] result in
            self.caller = nil
            site.setWaiting(self, to: false)
            switch result {
            case .success(let value): then(value)
            case .failure(let error): fail(error)
            }
        }
        if self.caller != nil { site.setWaiting(self, to: true) }
    }

    /// Begins work that ends in this turn or another one; `then` answers with its value.
    func wait<Value>(for work: (_ onDone: @escaping (Value) -> Void) -> Void, then: @escaping (Value) -> Void) {
        site.setWaiting(self, to: true)
        work { [self] value in
            guard site.isWaiting(self) else { return }
            site.setWaiting(self, to: false)
            then(value)
        }
    }

    /// Stops waiting for its command.
    func abandon(_ error: CommandError) {
        caller = nil
        site.setWaiting(self, to: false)
        fail(error)
    }

    /// Carries out a request that changes the session, and answers with the new view, after the timers that it has made due. If the session's parent
    /// has dropped it meanwhile, the view is from before that.
    func change(_ request: some CommandRequest, of name: String, status: Int = 200) {
        perform(request) { [self] _ in
            let changed = host.sessions.find(name)
            let childView = changed.flatMap { $0.machine.parentName == nil ? nil : viewText(of: $0) }
            host.fireDueTimers()
            guard let view = host.sessions.find(name).map({ viewText(of: $0) }) ?? childView else {
                return fail(.noSession(ByteString(name), for: visitor.grant, in: host.sessions))
            }
            answer(view, status)
        }
    }

    // MARK: Answering

    func answer(_ text: String, _ status: Int = 200, type: String = "application/json") {
        site.answer(request, HTTPResponse(status, [("Content-Type", type), ("Cache-Control", "no-store")], .text(text)))
    }

    func answer(_ json: JSON, _ status: Int = 200) { answer(json.description, status) }

    func answerEmpty(_ headers: [(name: String, value: String)] = []) {
        site.answer(request, HTTPResponse(204, headers + [("Cache-Control", "no-store")]))
    }

    func fail(_ error: CommandError) { site.fail(request, error.shown(to: visitor), []) }
}

// MARK: - The server, as its operations see it

protocol WebContext: AnyObject {
    var host: Host { get }
    var logins: Logins { get }
    var authenticator: RequestAuthenticator { get }
    var assets: Assets { get }
    var streams: Streams { get }
    var sandboxes: Sandboxes { get }
    var relay: Relay { get }
    var metrics: MetricsText { get }
    var health: Health { get }
    var description: String { get }

    /// Whether the request is answered in a later turn.
    func setWaiting(_ call: WebCall, to: Bool)
    func isWaiting(_ call: WebCall) -> Bool
    /// The answer leaves when the turn's output does.
    func answer(_ request: HTTPRequest, _ response: HTTPResponse)
    func fail(_ request: HTTPRequest, _ error: CommandError, _ headers: [(name: String, value: String)])
    /// Nil if the connection is gone.
    func beginStream(_ request: HTTPRequest, _ headers: [(name: String, value: String)]) -> HTTPStream?
}
