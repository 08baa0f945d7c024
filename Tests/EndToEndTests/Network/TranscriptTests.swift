// The daemon's exact replies over every interface, compared with a recorded transcript.

import TestSupport
import Testing

@Suite struct `The transcript` {
    @Test func `The daemon replies to every command and HTTP route as recorded`() async throws {
        let (output, status) = try await python("Tests/Transcript/transcript.py")
        #expect(status == 0, "\(output)")
    }
}
