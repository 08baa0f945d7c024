// What the daemon replies, word for word, over every interface.

import TestSupport
import Testing

@Suite struct `The transcript` {
    @Test func `the daemon replies to every command and HTTP route as recorded`() async throws {
        let (output, status) = try await python("Tests/Transcript/transcript.py")
        #expect(status == 0, "\(output)")
    }
}
