// Settings that have no effect beside others.

import Posix
import Testing
@testable import Commands
@testable import GameDaemon

@Suite struct `A setting that has no effect` {
    private func warnings(_ file: String?, _ words: [String] = [], _ variables: [String: String] = [:]) throws -> [String] {
        let directory = try ConfigurationDirectory()
        return try directory.read(file, words, variables).options.ineffectiveSettings.map {
            $0.line.replacing(directory.file, with: "F")
        }
    }

    @Test(arguments: [
        (
            ["--durability", "always", "--data", "none"],
            ["--durability: warning: it has no effect beside --data none: nothing is stored"]
        ),
        (
            ["--data", "/kept", "--durability", "none", "--accept-loss"],
            [
                "--data: warning: it has no effect beside --durability none: nothing is stored",
                "--accept-loss: warning: it has no effect beside --durability none: nothing is stored",
            ]
        ),
        (
            ["--time", "virtual", "--durability", "always"],
            ["--durability: warning: it has no effect with --time virtual, unless --data DIR is given: nothing is stored"]
        ),
        (
            ["--store", "postgres://db/gamed", "--accept-loss"],
            ["--accept-loss: warning: it has no effect beside --store: it is for a data directory"]
        ),
        (
            ["--http", "none", "--http-open", "--http-name", "venue"],
            [
                "--http-open: warning: it has no effect beside --http none: there is no page",
                "--http-name: warning: it has no effect beside --http none: there is no page",
            ]
        ),
        (["--data", "none", "--durability", "none"], []), (["--data", "/kept", "--durability", "always", "--accept-loss"], []),
        (["--time", "virtual", "--data", "/kept", "--durability", "always"], []),
        (["--http-open", "--http-open-metrics"], []), (["--http", "none", "--http-open=false"], []),
    ])
    func `A setting that has no effect beside another one gives a warning with the reason`(words: [String], lines: [String])
        throws
    {
        #expect(try warnings(nil, words) == lines)
    }

    @Test func `A warning about a setting names its place in the file, or its variable`() throws {
        let found = try warnings(
            #"{ "http-open": true }"#, ["--data", "none", "--http", "none"], ["GAMED_DURABILITY": "always"])
        #expect(
            found == [
                "F:1:16: warning: http-open has no effect beside --http none: there is no page",
                "GAMED_DURABILITY: warning: it has no effect beside --data none: nothing is stored",
            ])
    }

    @Test func `Two tasks on one command line are refused`() {
        for words in [["--check", "--import", "/kept"], ["--import", "/kept", "--check"], ["--init", "--export", "/kept"]] {
            let error = #expect(throws: UsageError.self) { try Options(parsing: ["--store", "postgres://db/gamed"] + words) }
            #expect(error?.description.contains("exclude each other: give one task at a time") == true)
        }
        #expect(throws: Never.self) { try Options(parsing: ["--check", "--help"]) }
    }
}
