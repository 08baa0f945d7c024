// Everything that can be asked for over HTTP.

import Commands
import GameFlow
import RESP

extension Route {
    static let all: [Route] =
        pages + sessions + sessionActions + flows + time + devices + service + cluster + streams + sandboxes

    private static let bySegmentCount = Dictionary(grouping: all, by: \.parts.count)

    /// Those with this path, one for each method.
    static func matching(_ segments: [String]) -> [Route] {
        (bySegmentCount[segments.count] ?? []).filter { $0.matches(segments) }
    }

    /// Runs a command with the body's members as arguments, and answers with what `json` makes of its reply.
    static func command<Request: CommandRequest>(
        _ path: String, _ summary: String, _: Request.Type, answer: String, _ json: @escaping @Sendable (Request.Value) -> JSON
    ) -> Route {
        Route(.post, path, summary, needs: Request.needs, body: Field.list(of: Request.self), answer: answer) {
            call throws(CommandError) in
            call.perform(try call.request(Request.self)) { call.answer(json($0)) }
        }
    }
}
