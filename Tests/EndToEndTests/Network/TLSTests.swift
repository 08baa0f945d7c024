// Python scripts in Tests/TLS that test TLS from outside.

import Foundation
import TestSupport
import Testing

@Suite struct `TLS as clients see it` {
    @Test(arguments: ["tcp", "https", "files", "ctl"])
    func `The daemon passes each Python script that tests TLS from outside`(script: String) async throws {
        let (output, status) = try await python("Tests/TLS/\(script).py")
        #expect(status == 0, "\(output)")
    }
}
