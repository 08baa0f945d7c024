// The files in docs/monitoring, which operators use as they are.

import BuiltInFlows
import Foundation
import GameFlow
import MemoryStore
import TestSupport
import Testing
@testable import Commands
@testable import GameDaemon

@Suite struct `The monitoring files` {
    private let folder = packageRoot.appending(path: "docs/monitoring")

    @Test func `The alert rules are accepted by Prometheus`() throws {
        try PromTool.check(rules: folder.appending(path: "alerts.yml").path)
    }

    @Test func `The monitoring files refer only to metrics that exist`() throws {
        let known = try Self.allMetrics().names
        for file in ["alerts.yml", "dashboard.json", "README.md"] {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            let asked = Set(Self.names(in: text))
            let named = asked.filter { !Self.isFamily($0, of: known) }
            #expect(asked.count > 5 && named.isEmpty, "\(file) asks for \(named.sorted())")
        }
    }

    @Test func `Each metric has one row in the guide, and each row names metrics`() throws {
        let metrics = try Self.allMetrics().families.map(\.name)
        let text = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
        let table = try #require(text.components(separatedBy: "| metric | labels | value |\n|---|---|---|\n").last)
        let rows = table.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("| ") }
        let named = rows.map { Self.names(in: $0.split(separator: "|").first.map(String.init) ?? "") }
        #expect(named.allSatisfy { !$0.isEmpty }, "\(rows)")
        #expect(named.joined().sorted() == metrics.sorted())
    }

    @Test func `The dashboard gives each panel its place and its queries`() throws {
        let data = try Data(contentsOf: folder.appending(path: "dashboard.json"))
        let dashboard = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let panels = try #require(dashboard["panels"] as? [[String: Any]])
        #expect(Set(panels.compactMap { $0["id"] as? Int }).count == panels.count)
        for panel in panels where panel["type"] as? String != "row" {
            let place = panel["gridPos"] as? [String: Int]
            let targets = panel["targets"] as? [[String: Any]] ?? []
            #expect((place?["x"] ?? 99) + (place?["w"] ?? 99) <= 24 && !targets.isEmpty, "\(panel["title"] ?? "")")
        }
    }

    @Test func `The alerts for stopped clocks and set-aside sessions name a gamectl command that lists them`() throws {
        let text = try String(contentsOf: folder.appending(path: "alerts.yml"), encoding: .utf8)
        let alerts = text.components(separatedBy: "- alert: ")
        for (name, command) in [
            ("GamedSessionsSetAside", "`gamectl sessions --state '!'`"),
            ("GamedClocksStopped", "`gamectl sessions --state '!stopped'`"),
        ] {
            #expect(alerts.first { $0.hasPrefix(name) }?.contains(command) == true, "\(name)")
        }
    }

    /// Returns the metrics of a daemon with a journal, a page and a certificate that is a node of a cluster.
    private static func allMetrics() throws -> MetricsReading {
        let daemon = try MonitoredDaemon([.flow(Turns.self)], in: MemoryStore())
        for line in ["NEW a turns", "SEND a pass"] { daemon.say(line) }
        let node = StubClusterMember()
        (node.statistics.age, node.statistics.owned) = (.seconds(1), [(shard: 3, epoch: 7)])
        let clients = ClientsWithCertificate()
        (daemon.daemon.host.cluster, daemon.daemon.host.clients) = (node, clients)
        let metrics = try daemon.readMetricsWithPage()
        (daemon.daemon.host.cluster, daemon.daemon.host.clients) = (nil, nil)
        try daemon.daemon.persistence?.finish()
        return metrics
    }

    private static func names(in text: String) -> [String] {
        text.matches(of: /\b(?:gamed|process)_[a-z_]*[a-z]\b/).map { String($0.output) }
    }

    /// Returns whether the name is a metric or, as in the README, a histogram's family.
    private static func isFamily(_ name: String, of known: Set<String>) -> Bool {
        known.contains(name) || known.contains(name + "_bucket")
    }
}

/// No clients, and a TLS certificate.
private final class ClientsWithCertificate: ClientList {
    var ids: [Int] { [] }
    func client(id: Int) -> Client? { nil }
    var report: [(String, String)] { [] }
    var statistics: ClientStatistics {
        var statistics = ClientStatistics()
        statistics.certificateExpiry = 1_800_000_000
        return statistics
    }

    func applyLimits() {}
}
