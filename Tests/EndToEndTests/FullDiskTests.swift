// A disk that fills up, under a gamed that is killed at the first refusal: Tests/Disk/full.py.

import Testing

@Suite struct `A disk that is full, and then kill -9` {
    @Test func `loses nothing that was acknowledged, over RESP and HTTP`() async throws {
        let (output, status) = try await python("Tests/Disk/full.py", ["--rounds", "5"])
        #expect(status == 0, "\(output)")
    }
}
