// Compares a connection's replies with a transcript.

import Testing
import TestSupport

/// Sends each line after `> ` and expects each line after `< `, both with a line end; `< …` matches any line.
func transcript(_ text: String, to daemon: RunningDaemon, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let client = try daemon.client()
    for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
        let content = line.dropFirst(2) + "\r\n"
        if line.hasPrefix("> ") {
            client.send(String(content))
        } else if line == "< …" {
            #expect(!client.readLine().isEmpty, sourceLocation: sourceLocation)
        } else {
            #expect(client.read(content.utf8.count) == content, "after: \(line)", sourceLocation: sourceLocation)
        }
    }
}
