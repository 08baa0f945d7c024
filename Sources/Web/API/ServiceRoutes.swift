// The daemon itself: figures, settings, files.

import Commands
import GameFlow
import HTTP
import Monitoring
import RESP

extension Route {
    static let service: [Route] = [
        Route(
            .get, "/healthz", "Liveness: succeeds while the event loop runs.", needs: .nothing, access: .open, answer: "Live"
        ) { call in
            call.answer(call.site.health.live)
        },
        Route(
            .get, "/readyz", "Readiness: succeeds once sessions are restored and the disk accepts writes.", needs: .nothing,
            access: .open,
            answer: "Ready"
        ) { call in call.site.health.ready { call.answer($0) } },
        Route(.get, "/metrics", "Metrics for Prometheus.", needs: .reads(.nothing), contentType: "text/plain") { call in
            let headers = [("Content-Type", MetricsWriter.contentType), ("Cache-Control", "no-store")]
            call.site.answer(call.request, HTTPResponse(200, headers, .asset(call.site.metrics.gather())))
        },
        Route(
            .get, "/api/info", "The daemon's statistics, by section.", needs: .reads(.nothing),
            query: [.repeatable("section", .choice(InfoRequest.sectionNames + ["all"]), "a section, or all; repeatable")],
            answer: "Info"
        ) { call in
            call.perform(InfoRequest(sections: call.target.values("section"))) { call.answer($0.webJSON) }
        },
        Route(
            .get, "/api/config", "Settings by name.", needs: .reads(.nothing),
            query: [.optional("match", .text, "a glob that their names match")],
            answer: "Config"
        ) { call throws(CommandError) in
            call.perform(try GetConfigRequest(matching: call.target.value("match") ?? "*")) { call.answer($0.json) }
        },
        command("/api/config", "Changes one setting.", SetConfigRequest.self, answer: "Message") { ["message": $0.json] },
        command(
            "/api/reload", "Reloads flow files and all else that SIGHUP reloads.", ReloadRequest.self, answer: "Reloaded"
        ) { ["lines": $0.json] },
        command(
            "/api/backup",
            "Starts to copy all sessions and their history into a file; the section persistence of /api/info has the outcome.",
            BackupRequest.self, answer: "Message"
        ) { ["message": $0.json] },
        Route(.get, "/api/openapi.json", "This description.", needs: .nothing, access: .open, answer: "OpenAPI") { call in
            call.answer(call.site.description)
        },
    ]
}

extension InfoReply {
    /// Its sections by name; figures are numbers.
    fileprivate var webJSON: JSON {
        .object(
            sections.map { section in
                let fields = section.fields.map { name, value in
                    JSON.Member(name, Int(value).map { .integer($0) } ?? .string(value))
                }
                return .init(section.title.lowercased(), .object(fields))
            })
    }
}

extension WebCall {
    fileprivate func answer(_ report: HealthReport) { answer(report.json, report.status) }
}

// MARK: - The cluster that this daemon is a node of.

extension Route {
    static let cluster: [Route] = [
        Route(
            .get, "/api/cluster",
            "The cluster as this node sees it: nodes, shards, its lease and the latest moves; null without a cluster.",
            needs: .reads(.ownSessions), answer: "Cluster"
        ) { call in call.answer(["cluster": call.host.cluster?.json(isBrief: false) ?? .null]) }
    ]

    // MARK: The clock, and what fires next.

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
        command("/api/clock/advance", "Advances virtual time.", AdvanceRequest.self, answer: "Fired") {
            ["fired": .integer($0)]
        },
    ]
}
