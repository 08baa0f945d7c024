// The clock, and what fires next.

import Commands
import RESP

extension Route {
    static let time: [Route] = [
        Route(
            .get, "/api/next", "The timers that fire next, over all sessions.", needs: .reads(.ownSessions),
            query: Field.list(of: NextRequest.self) + [.nodes], answer: "Next"
        ) { call in
            let count = call.count(else: 10, atMost: 1_000)
            if let cluster = call.cluster { return call.answerNext(count, of: cluster) }
            call.perform(NextRequest(count: count)) { call.answer(["timers": $0.json]) }
        },
        Route(.get, "/api/clock", "The daemon's clock.", needs: .reads(.nothing), answer: "Clock") { call in
            call.perform(ClockRequest()) { call.answer($0.json) }
        },
        Route(
            .post, "/api/clock/advance", "Lets virtual time pass.", needs: AdvanceRequest.needs,
            body: Field.list(of: AdvanceRequest.self), answer: "Fired"
        ) { call throws(CommandError) in
            call.perform(try call.request(AdvanceRequest.self)) { call.answer(["fired": .integer($0)]) }
        },
    ]
}
