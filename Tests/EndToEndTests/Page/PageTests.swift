// Python scripts in Tests/Page that drive a real browser.

import TestSupport
import Testing

@Suite(.serialized) struct `The page, in a real browser` {
    /// The scripts run one after another: four browsers at once may exceed the scripts' timeouts. `make soak` runs care.py, which tests
    /// sessions that are set aside and browsers without some features.
    @Test(arguments: ["play", "master", "overview", "live"])
    func `The page passes each Python script that drives a browser`(script: String) async throws {
        let (output, status) = try await python("Tests/Page/\(script).py")
        #expect(status == 0, "\(output)")
    }
}
