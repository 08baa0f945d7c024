// Reading the token file, and comparing a guess with its tokens.

import Foundation
import Testing
@testable import Commands

@Suite struct `A token` {
    private let path = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString.prefix(8))").path

    private func read(_ text: String, mode: mode_t = 0o600) throws -> TokenTable {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        chmod(path, mode)
        return try TokenFile.read(path).table
    }

    private func matches(_ tokens: TokenTable, _ guess: String) -> Bool { tokens.find(guess) != nil }

    @Test(arguments: ["0123456789abcdef\n", "0123456789abcdef", "0123456789abcdef\r\n# another line\n"])
    func `A token is the first line of its file`(text: String) throws {
        #expect(matches(try read(text), "0123456789abcdef"))
    }

    @Test(arguments: [
        "", "0", "0123456789abcde", "0123456789abcdeF", "0123456789abcdef0", "0123456789abcdef0123456789abcdef", "\0",
    ])
    func `A token matches only its exact text`(guess: String) throws {
        #expect(!matches(try read("0123456789abcdef\n"), guess))
    }

    @Test(
        arguments: [
            ("short\n", 0o600, "has 5 characters; it needs 16 to 1024"),
            ("", 0o600, "is empty; to revoke all tokens, leave only a comment in it: echo '# no tokens' > "),
            (" \n\t\n", 0o600, "is empty; to revoke all tokens, leave only a comment in it"),
            ("0123456789abcdef\nann read sha256=0\n", 0o600, ":2: error: nothing may follow a secret that stands alone"),
            ("# mine\n0123456789abcdef\n", 0o600, ":2: error: a token is NAME ROLE … sha256=DIGITS, and this line has one"),
            ("two words of a token\n", 0o600, ":1: error: there is no role 'words' for the token 'two'; available: read, play"),
            ("0123456789abcdéf\n", 0o600, "is not one word of printable ASCII"),
            ("0123456789abcdef\n", 0o604, "is accessible to other users; run 'chmod 600"),
            ("0123456789abcdef\n", 0o602, "is accessible to other users; run 'chmod 600"),
            ("0123456789abcdef\n", 0o620, "is writable by its group"),
            (String(repeating: "x", count: 2_000), 0o600, "it needs 16 to 1024"),
        ] as [(String, mode_t, String)])
    func `A token file that is malformed or not private is refused, and the error says how to fix it`(
        text: String, mode: mode_t, sentence: String
    ) {
        let error = #expect(throws: AccessError.self) { try read(text, mode: mode) }
        #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
    }

    @Test func `A token is not read from a device, a directory or a missing file`() {
        #expect(throws: AccessError.self) { try TokenFile.read("/dev/zero") }
        #expect(throws: AccessError.self) { try TokenFile.read("/") }
        let error = #expect(throws: AccessError.self) { try TokenFile.read("/nowhere/token") }
        #expect(
            error?.description
                == "cannot read the token file /nowhere/token: No such file or directory; 'gamectl token new NAME --role master --file /nowhere/token' makes one"
        )
    }
}
