// The page's server as browsers, proxies and strangers meet it: Tests/Web, in Python, tries it from outside.

import Foundation
import TestSupport
import Testing

@Suite struct `The page's server, tried from outside` {
    /// They run beside each other: most of them wait most of the time, some for the half minute after which a slow client is cut off.
    @Test(arguments: [
        "api", "conformance", "crowd", "durability", "hostile", "playing", "reload", "safety", "sandbox", "shares", "starting",
        "stream", "wire",
    ])
    func `keeps its promises`(script: String) async throws {
        let (output, status) = try await python("Tests/Web/\(script).py")
        #expect(status == 0, "\(output)")
    }
}
