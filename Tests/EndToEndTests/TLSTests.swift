// TLS as clients and strangers meet it: Tests/TLS, in Python, tries it from outside.

import Foundation
import TestSupport
import Testing

@Suite struct `TLS, tried from outside` {
    @Test(arguments: ["tcp", "https", "files", "ctl"])
    func `keeps its promises`(script: String) async throws {
        let (output, status) = try await python("Tests/TLS/\(script).py")
        #expect(status == 0, "\(output)")
    }
}
