// Limits on the command line.

import Testing
@testable import Commands
@testable import GameDaemon
@testable import Posix

@Suite struct `The option --limit` {
    @Test(arguments: [("connections=5", 5), ("connections=1k", 1_024), ("connections=1M", 1_000_000 + 48_576)])
    func `A limit is set by its name, in plain digits or with a unit, within its range`(text: String, value: Int) throws {
        guard value <= 1_000_000 else {
            #expect(throws: UsageError.self) { try Options(parsing: ["--limit", text]) }
            return
        }
        #expect(try Options(parsing: ["--limit", text]).limits.connections == value)
    }

    @Test(arguments: [
        ("connections", "--limit is NAME=VALUE, like connections=100, not 'connections'"),
        ("connections=0", "connections is a whole number from 1 to 1000000, not '0'"),
        ("connections=-1", "connections is a whole number from 1 to 1000000, not '-1'"),
        ("connections=many", "connections is a whole number from 1 to 1000000, not 'many'"),
        ("connections=9999999999999999999", "connections is a whole number from 1 to 1000000"),
        ("request-bytes=9223372036854775807g", "request-bytes is a whole number from"),
        ("friends=3", "there is no limit 'friends'; available: sessions, "),
    ])
    func `The error for an invalid --limit gives the valid form, range or names`(text: String, sentence: String) {
        let error = #expect(throws: UsageError.self) { try Options(parsing: ["--limit", text]) }
        #expect(error?.description.hasPrefix(sentence) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: Limit.notSettable.keys.sorted())
    func `The option --limit for a fixed limit is refused`(name: String) {
        var options = Options()
        #expect(throws: UsageError.self) { try options.setLimit("\(name.uppercased())=5") }
    }
}
