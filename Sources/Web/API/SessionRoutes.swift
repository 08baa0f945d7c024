// Sessions: listed, begun, seen, dropped.

import Commands
import GameFlow
import Memory
import RESP
import Sessions

extension Route {
    static let sessions: [Route] = [
        Route(
            .get, "/api/sessions", "Sessions, page by page: repeat with the returned cursor until it is 0.",
            needs: .reads(.ownSessions),
            query: Field.list(of: SessionsRequest.self) + [.nodes], answer: "SessionList"
        ) { call throws(CommandError) in try call.answerSessions() },
        Route(
            .post, "/api/sessions", "Creates a session.", needs: .masters(.ownSessions),
            body: Field.list(of: NewRequest.self) + [source], bodyLimit: .payload, answer: "View", status: 201
        ) { call throws(CommandError) in
            try call.readSource()
            let name = call.text("name") ?? ""
            try call.visitor.grant.check(ByteString(name))
            if call.site.forward(call.request, about: name, of: call.visitor, isRelayed: call.isRelayed) { return }
            call.change(try call.request(NewRequest.self), of: name, status: 201)
        },
        Route(
            .get, "/api/sessions/{name}", "A session's view: everything that a user interface needs.", needs: .reads(.session),
            answer: "View"
        ) {
            call in
            call.perform(ViewRequest(session: call.session)) { call.answer($0) }
        },
        Route(.delete, "/api/sessions/{name}", "Drops a session.", needs: .masters(.session), answer: "Dropped") { call in
            // A session that is set aside cannot restart, and a child returns only with its parent.
            let canReturn =
                call.host.sessions.setAsideSessions[call.session] == nil
                && call.host.sessions.find(call.parameter("name"))?.machine.parentName == nil
            call.perform(DropRequest(session: call.session)) { count in
                guard count == 1 else {
                    return call.fail(.noSession(call.session, for: call.visitor.grant, in: call.host.sessions))
                }
                call.answer(["dropped": true, "undo_ms": .integer(canReturn ? call.host.limits.undoMilliseconds : 0)])
            }
        },
        Route(
            .get, "/api/sessions/{name}/history", "A session's history, newest first.", needs: .reads(.session),
            query: Field.list(of: HistoryRequest.self), answer: "History"
        ) { call in call.answerHistory() },
        Route(
            .get, "/api/sessions/{name}/events", "The events that a session accepts now.", needs: .reads(.session),
            answer: "Events"
        ) { call in
            call.perform(EventsRequest(session: call.session, isFull: true)) { reply in
                call.answer(["events": .array(reply.events.map { $0.json(namedBy: "event") })])
            }
        },
        Route(.get, "/api/sessions/{name}/timers", "A session's timers.", needs: .reads(.session), answer: "Timers") { call in
            call.perform(TimersRequest(session: call.session)) { call.answer(["timers": $0.json]) }
        },
    ]

    static let source = Field.list(of: ClientSourceRequest.self)[0].optional
}

extension WebCall {
    fileprivate func answerHistory() {
        let count = count(else: 20, atMost: 1_000)
        let life = host.isLoading ? nil : host.sessions.find(parameter("name"))?.life
        perform(HistoryRequest(session: session, count: count)) { [self] reply in
            var text = JSONText(reserving: 300 * count)
            text.beginObject()
            text.name("lines")
            Lines.append(reply.entries, life, to: &text)
            text.endObject()
            answer(text.finished())
        }
    }

    fileprivate func answerSessions() throws(CommandError) {
        if let cluster { return try answerSessions(of: cluster) }
        try listSessions(from: Int(target.value("cursor") ?? "0") ?? 0) { [self] in answerSessions($0, next: $1) }
    }

    /// Rows of this daemon's sessions, as a JSON array, and where to go on.
    func listSessions(from cursor: Int, then: @escaping (_ rows: String, _ next: Int) -> Void) throws(CommandError) {
        var members: [JSON.Member] = [
            .init("cursor", .integer(cursor)), .init("count", .integer(count(else: 100, atMost: 1_000))),
        ]
        for name in ["match", "flow", "state"] {
            if let value = target.value(name) { members.append(.init(name, .string(value))) }
        }
        let request = try SessionsRequest.form.read(.object(members), within: host.limits)
        perform(request) { [self] reply in
            let names = reply.names
            var text = JSONText(reserving: 256 * names.count + 64)
            text.beginArray()
            for name in names {
                if let session = host.sessions.find(name) {
                    text.append(row: session)
                } else if let aside = host.sessions.setAsideSessions[name] {
                    text.append(aside: aside, isForMaster: visitor.grant.isMaster(of: name.text))
                }
            }
            text.endArray()
            then(text.finished(), reply.next)
        }
    }
}
