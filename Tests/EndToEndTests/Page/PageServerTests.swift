// Python scripts in Tests/Web that test the page's server from outside.

import Foundation
import TestSupport
import Testing

@Suite struct `The page's server as clients see it` {
    private static let scripts = [
        "api", "conformance", "durability", "hostile", "playing", "reload", "safety", "sandbox", "shares", "starting", "stream",
    ]

    /// The first two mostly wait for the 30 s after which a slow client is disconnected, and so they run together.
    @Test(arguments: [["crowd", "wire"]] + scripts.map { [$0] })
    func `The page's server passes each Python script that tests it from outside`(scripts: [String]) async throws {
        try await withThrowingTaskGroup { group in
            for script in scripts {
                group.addTask {
                    let (output, status) = try await python("Tests/Web/\(script).py")
                    #expect(status == 0, "\(output)")
                }
            }
            try await group.waitForAll()
        }
    }
}
