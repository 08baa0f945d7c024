// What the daemon replies, word for word, over every interface.

import TestSupport
import Testing

@Suite struct `The transcript` {
    @Test func `of every command over RESP2, RESP3, HTTP and the page's stream is the recorded one`() async throws {
        let (output, status) = try await python("Tests/Transcript/transcript.py")
        #expect(status == 0, "\(output)")
    }
}
