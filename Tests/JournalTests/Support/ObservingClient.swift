// A client that sends events while another one reads the session.

import Foundation
import TestSupport
import Testing

/// Sends events while another client reads the session. The replies to both must stay true after a crash.
final class ObservingClient: @unchecked Sendable {
    private static let name = "watched"

    private var sent = 0
    private var acknowledged = 0
    private var seen = 0

    func prepare(_ client: TestClient) throws {
        #expect(try client.ask("NEW \(Self.name) turns").text == "first")
    }

    func play(_ client: TestClient) {
        while true {
            sent += 4
            guard client.send(Array(repeating: "SEND \(Self.name) pass", count: 4)) else { return }
            for _ in 0..<4 {
                guard let answer = try? client.next(), !answer.isError else { return }
                acknowledged += 1
            }
        }
    }

    func look(_ client: TestClient) {
        while let version = (try? client.ask("STATE \(Self.name)"))?["version"]?.integer { seen = max(seen, version) }
    }

    func check(_ client: TestClient, _ comment: String) throws {
        let found = try client.ask("STATE \(Self.name)")
        let version = found["version"]?.integer ?? -1
        #expect((max(acknowledged, seen)...sent).contains(version), "\(comment): acknowledged \(acknowledged), seen \(seen)")
        #expect(found["state"]?.text == (version % 2 == 0 ? "first" : "second"), "\(comment)")
        (sent, acknowledged, seen) = (version, version, version)
    }
}
