// The daemon itself: figures, settings, files.

import Commands
import GameFlow
import HTTP
import Monitoring
import RESP
import ReplyJSON

extension Route {
    static let service: [Route] = [
        Route(.get, "/healthz", "Whether the loop turns.", needs: .nothing, access: .open, answer: "Health") { call in
            call.answer(call.site.health.live)
        },
        Route(
            .get, "/readyz", "Whether sessions are restored, and the disk takes what is written.", needs: .nothing,
            access: .open,
            answer: "Health"
        ) { call in call.site.health.ready { call.answer($0) } },
        Route(.get, "/metrics", "Figures for Prometheus.", needs: .reads(.nothing), contentType: "text/plain") { call in
            let headers = [("Content-Type", MetricsText.contentType), ("Cache-Control", "no-store")]
            call.site.answer(call.request, HTTPResponse(200, headers, .asset(call.site.metrics.gather())))
        },
        Route(
            .get, "/api/info", "The daemon's figures, by section.", needs: .reads(.nothing),
            query: [.optional("section", .text, "one of its sections")],
            answer: "Info"
        ) { call in
            call.run(["INFO"] + call.target.values("section")) { call.answer(Self.infoJSON($0.text ?? "")) }
        },
        Route(
            .get, "/api/config", "Settings by name.", needs: .reads(.nothing),
            query: [.optional("match", .text, "a glob that their names match")],
            answer: "Config"
        ) { call in call.run(["CONFIG", "GET", call.target.value("match") ?? "*"]) { call.answer($0.json) } },
        Route(
            .post, "/api/config", "Changes one setting.", needs: .administers,
            body: [.needed("name", .text, "its name"), .needed("value", .any, "its value")], answer: "Message"
        ) { call in
            call.run(["CONFIG", "SET", call.text("name") ?? "", call.text("value") ?? call.json("value") ?? ""]) {
                call.answer(["message": $0.json])
            }
        },
        Route(
            .post, "/api/reload", "Reads flow files, and whatever else SIGHUP reads, again.", needs: .administers,
            body: [.optional("dry", .flag, "only say what would change")], answer: "Reloaded"
        ) { call in
            call.run(["RELOAD"] + (call.body["dry"] == true ? ["DRY"] : [])) { call.answer(["lines": $0.json]) }
        },
        Route(
            .post, "/api/backup", "Copies everything into a file, while it runs.", needs: .administers,
            body: [.needed("file", .text, "where to, on the daemon's machine")], answer: "Message"
        ) { call in call.run(["BACKUP", call.text("file") ?? ""]) { call.answer(["message": $0.json]) } },
        Route(.get, "/api/openapi.json", "This description.", needs: .nothing, access: .open, answer: "OpenAPI") { call in
            call.answer(call.site.description)
        },
    ]

    /// `# Server`, and lines of `name:value`.
    private static func infoJSON(_ text: String) -> JSON {
        var sections: [JSON.Member] = []
        for part in text.split(separator: "# ") {
            let lines = part.split(whereSeparator: \.isNewline)
            guard let title = lines.first else { continue }
            let fields = lines.dropFirst().map { line in
                let sides = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                let value = sides.count > 1 ? String(sides[1]) : ""
                return JSON.Member(String(sides[0]), Int(value).map { .integer($0) } ?? .string(value))
            }
            sections.append(.init(title.lowercased(), .object(fields)))
        }
        return .object(sections)
    }
}

extension WebCall {
    fileprivate func answer(_ report: HealthReport) { answer(report.json, report.status) }
}
