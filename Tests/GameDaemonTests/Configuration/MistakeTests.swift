// Mistakes in a configuration are reported all at once, each with its place.

import Seeds
import Testing
@testable import GameDaemon

@Suite struct `A mistake in the configuration` {
    private let directory: ConfigurationDirectory

    init() throws { directory = try ConfigurationDirectory() }

    @Test(arguments: [
        (#"{ lisen: "127.0.0.1:1" }"#, "F:1:3: error: there is no setting 'lisen'; did you mean 'listen'?"),
        (#"{ "--log": "info" }"#, "F:1:3: error: there is no setting '--log'; did you mean 'log'?"),
        (#"{ token_file: "a" }"#, "F:1:3: error: there is no setting 'token_file'; did you mean 'token-file'?"),
        (#"{ connections: 5 }"#, #"F:1:3: error: 'connections' is a limit: write it as limit: { "connections": 10000 }"#),
        (
            "{ \"accept-loss\": true }",
            "F:1:3: error: accept-loss is for one start alone: give it on the command line, --accept-loss, or in GAMED_ACCEPT_LOSS"
        ),
        (#"{ log: "loud" }"#, "F:1:8: error: the log's level is one of error, warning, notice, info, debug, not 'loud'"),
        (#"{ log: true }"#, #"F:1:8: error: log is a text, like "notice", and not true"#),
        (#"{ log: "a\nb" }"#, #"F:1:8: error: the log's level is one of error, warning, notice, info, debug, not 'a\nb'"#),
        (#"{ data: "/a\u0000b" }"#, "F:1:9: error: data has a null character, and may have none"),
        (#"{ log: "" }"#, "F:1:8: error: log needs a value: error|warning|notice|info|debug"),
        (
            #"{ listen: "7654" }"#,
            "F:1:11: error: listen is HOST:PORT, like 127.0.0.1:7654, [::1]:7654 or localhost:7654, not '7654'"
        ),
        (
            #"{ listen: [7] }"#,
            "F:1:12: error: listen is HOST:PORT, like 127.0.0.1:7654, [::1]:7654 or localhost:7654, not '7'"
        ),
        (#"{ listen: [[]] }"#, #"F:1:12: error: listen is a list of texts, like "HOST:PORT", and not a list"#),
        (#"{ listen: {} }"#, #"F:1:11: error: listen is a text, or a list of texts, like "HOST:PORT", and not an object"#),
        (#"{ "http-open": "yes" }"#, "F:1:16: error: http-open is true or false, and not the text 'yes'"),
        ("{ console: 1.5 }", #"F:1:12: error: console is true, false, or a text, like "SESSION", and not 1.5"#),
        (#"{ limit: { connections: 0 } }"#, "F:1:25: error: connections is a whole number from 1 to 1000000, not '0'"),
        (#"{ limit: { conections: 9 } }"#, "F:1:24: error: there is no limit 'conections'; did you mean 'connections'?"),
        (#"{ limit: 5 }"#, "F:1:10: error: limit is NAME=VALUE, like connections=100, not '5'"),
        (
            #"{ session: { main: true } }"#,
            #"F:1:20: error: a value of session is a text or a number, like { NAME: "FLOW[:STATE]" }, and not true"#
        ),
        (#"{ session: { "a=b": "game" } }"#, "F:1:14: error: the name 'a=b' has an '=', and may not have one here"),
        (#"{ time: "virtual", time: "system" }"#, "F:1:20: error: "),
        ("[]", "F:1:1: error: the configuration is an object, { setting: value, … }"),
        ("{ log: }", "F:1:8: error: a value is missing before '}'"),
    ])
    func `A mistake in the file is reported with its line, its column and the expected value`(file: String, sentence: String)
        throws
    {
        let mistakes = try directory.mistakes(file)
        #expect(mistakes.count == 1 && mistakes[0].hasPrefix(sentence), "\(mistakes)")
    }

    @Test(arguments: [
        (["GAMED_LOG": "loud"], "GAMED_LOG: the log's level is one of "),
        (["GAMED_HTTP": "here"], "GAMED_HTTP is HOST:PORT, like 127.0.0.1:7650, [::1]:7650, or none, not 'here'"),
        (["GAMED_HTTP_OPEN": "perhaps"], "GAMED_HTTP_OPEN is true or false, not 'perhaps'"),
        (["GAMED_FLOWS": "'a"], "GAMED_FLOWS has a quote that is not closed; several values are separated by blanks"),
        (["GAMED_LIMIT": "sessions"], "GAMED_LIMIT is NAME=VALUE, like connections=100, not 'sessions'"),
    ])
    func `A mistake in the environment is reported with its variable`(variables: [String: String], sentence: String) throws {
        let mistakes = try directory.mistakes(nil, [], variables)
        #expect(mistakes.count == 1 && mistakes[0].hasPrefix(sentence), "\(mistakes)")
    }

    @Test func `All mistakes are reported together, even one that a higher layer overrides`() throws {
        let file = """
            {
              log: "loud", // and more
              listen: ["a", "127.0.0.1:0", "b"],
              flow: "x", data: ,
            }
            """
        let configuration = try directory.read(file, ["--log", "info"], ["GAMED_TIME": "slow"])
        let places = configuration.mistakes.map { mistake in
            "\(mistake)".replacing(directory.file, with: "F").split(separator: " ").first.map(String.init)
        }
        #expect(places == ["F:2:8:", "F:3:12:", "F:3:32:", "F:4:3:", "F:4:20:", "GAMED_TIME"], "\(configuration.mistakes)")
        #expect(
            configuration.options.addresses.map(\.description) == ["127.0.0.1:0"] && configuration.options.logLevel == .info)
        let lines = configuration.error.map { "\($0)" }?.split(separator: "\n") ?? []
        #expect(lines.first == "the configuration has 6 mistakes:" && lines.count == 7)
    }

    @Test func `A byte that is not UTF-8 is reported with its line`() throws {
        let bytes = Array("{\n  log: \"".utf8) + [0xFF] + Array("\" }".utf8)
        let mistakes = ConfigurationFile("F", bytes).layer.mistakes.map(\.description)
        #expect(mistakes == ["F:2:1: error: the file is UTF-8, and in this line there is a byte that is not"])
    }

    @Test func `A variable that is not UTF-8 is reported with its name`() {
        let environment = Environment(value: { $0 == "GAMED_DATA" ? .init(text: nil) : nil }, names: [])
        #expect(SettingLayer(environment).mistakes.map(\.description) == ["GAMED_DATA is not text in UTF-8"])
    }

    @Test func `A mistake is reported in one line without control characters for any bytes in the file`() {
        var generator = SeededGenerator.announced("random configurations", seed: 7)
        let whole = Array(
            """
            { socket: "a", listen: ["127.0.0.1:1", "[::1]:2"], http: "none", 'http-open': true, session: { a: "b", c: "d" },
              limit: { sessions: 5, ids: 0x20 }, // all in force
              log: "info", console: "x", "token-file": null, flows: ["ä", "/b"], time: 'virtual', data: "none", }
            """.utf8)
        for _ in 0..<3_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                let end = min(bytes.count, place + Int.random(in: 0...20, using: &generator))
                bytes.replaceSubrange(place..<end, with: [UInt8.random(in: 0...255, using: &generator)])
            }
            for mistake in ConfigurationFile("F", bytes).layer.mistakes {
                let line = "\(mistake)"
                #expect(line.hasPrefix("F:") && !line.unicodeScalars.contains { $0.value < 32 }, "\(line)")
            }
        }
    }

    @Test func `Mistakes after the first 100 are only counted`() throws {
        let keys = (0..<50_000).map { "a\($0): 1" }.joined(separator: ",\n")
        let mistakes = try directory.mistakes("{ \(keys) }")
        #expect(mistakes.count == 101)
        #expect(mistakes.last == "F:100:1: error: 49900 more mistakes follow; fix these first")
    }

    @Test func `A variable of a task's option gives a warning, since only the command line has tasks`() throws {
        let configuration = try directory.read(nil, ["--init"], ["GAMED_SHARDS": "16"])
        #expect(configuration.mistakes.isEmpty)
        #expect(
            configuration.warnings.map(\.logLine) == [
                "GAMED_SHARDS: it has no effect: give --shards NUMBER on the command line"
            ])
    }

    @Test func `A misspelled environment variable gives a warning and not an error`() throws {
        let configuration = try directory.read(
            nil, [], ["GAMED_LISEN": "x", "GAMED_TOKEN": "y", "GAMED_OTHERS": "z", "LISTEN": "a"])
        #expect(configuration.mistakes.isEmpty)
        let warning = configuration.warnings.first
        #expect(warning?.line == "GAMED_LISEN: warning: there is no such setting; did you mean GAMED_LISTEN?")
        #expect(warning?.logLine == "GAMED_LISEN: there is no such setting; did you mean GAMED_LISTEN?")
        #expect(configuration.warnings.count == 1)
    }

    @Test(arguments: ["GAMED_TOKEN", "GAMED_TLS", "GAMED_TLS_CA", "GAMED_TLS_CLIENT_CERT", "GAMED_TLS_CLIENT_KEY"])
    func `A variable of gamectl gives no warning`(name: String) throws {
        let configuration = try directory.read(nil, [], [name: "/etc/client.pem"])
        #expect(configuration.mistakes.isEmpty)
        #expect(configuration.warnings.isEmpty)
    }
}
