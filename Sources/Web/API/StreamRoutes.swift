// The stream of what happens.

import Commands
import GameFlow
import HTTP
import RESP

extension Route {
    static let streams: [Route] = [
        Route(
            .get, "/api/stream", "Changes as server-sent events, after the whole state.",
            needs: .reads(.ownSessions),
            query: [
                .repeatable("topic", .text, "sessions, status, flows, session:NAME or history:NAME; repeatable"),
                .optional("since", .text, "the id of the last received event, in place of Last-Event-ID"), .nodes,
            ], contentType: "text/event-stream"
        ) { call throws(CommandError) in
            let topics = try Topic.read(call.target.values("topic"))
            for name in topics.compactMap(\.name) {
                try call.visitor.grant.check(name)
                if call.cluster == nil { try call.host.checkOwner(of: name) }
            }
            let since = call.request.header("Last-Event-ID") ?? call.target.value("since")
            try call.site.streams.checkRoom(call.consumer)
            // Every page has a stream, and no cache stores it.
            let login = call.site.authenticator.renewLogin(call.credentials)
            let headers =
                [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no")]
                + (login.map { [$0] } ?? [])
            if call.request.method == .head { return call.site.answer(call.request, HTTPResponse(200, headers)) }
            let (credentials, peer) = (call.credentials, call.request.peer.machine)
            guard let stream = call.site.beginStream(call.request, headers) else { return }
            let grant = call.visitor.grant
            let subscriber = StreamReader.Subscriber(
                stream: stream, scope: grant.scope, consumer: call.consumer, isNode: call.isRelayed,
                hasLogin: login != nil
            ) { [authenticator = call.site.authenticator] in
                authenticator.visitor(with: credentials, from: peer)?.grant === grant
            }
            let reader = call.site.streams.add(subscriber, topics, since: since)
            if call.cluster != nil { call.site.streams.link(reader, call.site.relay, for: VisitorIdentity(call.visitor)) }
            call.request.onGone = { [weak streams = call.site.streams, weak reader] in
                if let reader { streams?.remove(reader) }
            }
        }
    ]
}
