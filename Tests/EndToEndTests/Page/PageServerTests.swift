// Python scripts in Tests/Web that test the page's server from outside.

import Foundation
import TestSupport
import Testing

@Suite struct `The page's server as clients see it` {
    /// The scripts run in parallel: most of them wait, some for the 30 s after which a slow client is disconnected.
    @Test(arguments: [
        "api", "conformance", "crowd", "durability", "hostile", "playing", "reload", "safety", "sandbox", "shares", "starting",
        "stream", "wire",
    ])
    func `The page's server passes each Python script that tests it from outside`(script: String) async throws {
        let (output, status) = try await python("Tests/Web/\(script).py")
        #expect(status == 0, "\(output)")
    }
}
