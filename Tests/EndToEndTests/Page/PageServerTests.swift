// Python scripts in Tests/Web that test the page's server from outside.

import Foundation
import TestSupport
import Testing

@Suite struct `The page's server as clients see it` {
    @Test(arguments: [
        "api", "conformance", "durability", "hostile", "playing", "reload", "safety", "sandbox", "shares", "starting", "stream",
    ])
    func `The page's server passes each Python script that tests it from outside`(script: String) async throws {
        let (output, status) = try await python("Tests/Web/\(script).py")
        #expect(status == 0, "\(output)")
    }

    /// Both scripts wait for the 30 s after which a slow client is disconnected, and so they wait together.
    @Test func `The page's server disconnects clients that are slow or do not read`() async throws {
        async let crowd = python("Tests/Web/crowd.py")
        async let wire = python("Tests/Web/wire.py")
        for (output, status) in try await [crowd, wire] { #expect(status == 0, "\(output)") }
    }
}
