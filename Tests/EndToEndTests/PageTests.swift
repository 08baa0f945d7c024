// The page as people meet it: Tests/Page, in Python, drives a real browser.

import TestSupport
import Testing

@Suite(.serialized) struct `The page, in a real browser` {
    /// One after the other: a browser that shares its processors with three more is slower than people are patient. care.py, what is set
    /// aside and browsers that lack something, is run by `make soak`.
    @Test(arguments: ["play", "master", "overview", "live"])
    func `keeps its promises`(script: String) async throws {
        let (output, status) = try await python("Tests/Page/\(script).py")
        #expect(status == 0, "\(output)")
    }
}
