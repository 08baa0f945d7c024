// INFO: which sections are built.

import TestSupport
import Testing
@testable import Commands

/// Counts how often it is asked.
private final class CountedClients: ClientList {
    private(set) var reports = 0
    private(set) var statisticsCount = 0

    var ids: [Int] { [] }
    func client(id: Int) -> Client? { nil }
    var report: [(String, String)] {
        reports += 1
        return [("connected_clients", "7")]
    }
    var statistics: ClientStatistics {
        statisticsCount += 1
        return ClientStatistics()
    }

    func applyLimits() {}
}

@Suite struct `INFO` {
    @Test func `INFO builds only the sections that are asked for`() throws {
        let (conversation, clients) = (Conversation(), CountedClients())
        conversation.host.clients = clients
        defer { conversation.host.clients = nil }
        #expect(try titles(conversation.ask("INFO server TIME nonsense")) == ["server", "time"])
        #expect(clients.reports == 0 && clients.statisticsCount == 0)
        #expect(try titles(conversation.ask("INFO memory")) == ["memory"])
        #expect(clients.reports == 0 && clients.statisticsCount == 1)
        #expect(try conversation.ask("INFO clients").text == "# Clients\r\nconnected_clients:7\r\nwrong_tokens:0\r\n")
        #expect(clients.reports == 1 && clients.statisticsCount == 1)
        for all in ["INFO", "INFO all", "INFO memory everything"] {
            #expect(try titles(conversation.ask(all)) == InfoRequest.sectionNames)
        }
    }

    private func titles(_ answer: Answer) -> [String] {
        (answer.text ?? "").split(whereSeparator: \.isNewline).filter { $0.hasPrefix("# ") }.map {
            $0.dropFirst(2).lowercased()
        }
    }
}
