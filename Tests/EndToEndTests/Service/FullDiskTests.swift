// Tests/Disk/full.py: the disk fills up, and gamed is killed at its first refusal.

import Testing

@Suite struct `A disk that is full, and then kill -9` {
    @Test func `A full disk and kill -9 lose no acknowledged change, over RESP and HTTP`() async throws {
        let (output, status) = try await python("Tests/Disk/full.py", ["--rounds", "5"])
        #expect(status == 0, "\(output)")
    }
}
