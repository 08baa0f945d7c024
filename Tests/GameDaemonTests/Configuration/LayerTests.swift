// Layers of settings: file, environment and command line.

import Posix
import Testing
@testable import Commands
@testable import GameDaemon

@Suite struct `A setting` {
    private let directory: ConfigurationDirectory

    init() throws { directory = try ConfigurationDirectory() }

    @Test func `A setting comes from the command line, else the environment, else the file`() throws {
        let file = #"{ log: "error", durability: "always", time: "virtual" }"#
        let (words, variables) = (["--log", "debug"], ["GAMED_LOG": "info", "GAMED_DURABILITY": "none"])
        let all = try directory.read(file, words, variables)
        #expect(all.mistakes.isEmpty)
        #expect(all.options.logLevel == .debug && all.options.persistence.durability == .none && all.options.time == .virtual)
        #expect(all.options.origins.settings["log"]?.origin == .option("--log"))
        #expect(all.options.origins.settings["durability"]?.origin == .environment("GAMED_DURABILITY"))
        #expect(all.options.origins.settings["time"]?.origin == .file(directory.file, line: 1, column: 45))
        #expect(all.options.origins.settings["data"] == nil)
    }

    @Test func `A setting of several values is replaced as a whole by a higher layer`() throws {
        let file = #"{ listen: ["127.0.0.1:1", "127.0.0.1:2"], session: { a: "game", b: "turns" }, limit: { sessions: 5e0 } }"#
        let own = try directory.read(file).options
        #expect(own.addresses.map(\.description) == ["127.0.0.1:1", "127.0.0.1:2"])
        #expect(own.sessions.map(\.text) == ["a=game", "b=turns"] && own.limits.sessions == 5)
        let other = try directory.read(
            file, ["--session", "c=game", "--session", "d=game"], ["GAMED_LISTEN": "127.0.0.1:3 '127.0.0.1:4'"]
        ).options
        #expect(other.addresses.map(\.description) == ["127.0.0.1:3", "127.0.0.1:4"])
        #expect(other.sessions.map(\.text) == ["c=game", "d=game"] && other.limits.sessions == 5)
        #expect(try directory.read(file, ["--limit", "connections=3"]).options.limits.sessions == Limits().sessions)
    }

    @Test func `A flag can be turned off by each higher layer`() throws {
        let file = #"{ "http-open": true, console: "lobby" }"#
        #expect(try directory.read(file).options.web.isOpen)
        #expect(try directory.read(file).options.consoleSession == "lobby")
        for off in ["false", "no", "off", "0"] {
            #expect(try !directory.read(file, [], ["GAMED_HTTP_OPEN": off]).options.web.isOpen)
        }
        #expect(try !directory.read(file, ["--http-open=false"], ["GAMED_HTTP_OPEN": "true"]).options.web.isOpen)
        #expect(try directory.read("{}", ["--http-open"], ["GAMED_HTTP_OPEN": "no"]).options.web.isOpen)
        let console = try directory.read(file, [], ["GAMED_CONSOLE": "yes"]).options
        #expect(console.hasConsole && console.consoleSession == nil)
        #expect(try !directory.read(file, ["--console=false"], ["GAMED_CONSOLE": "yes"]).options.hasConsole)
        let inline = try directory.read(file, ["--console=true"]).options
        #expect(inline.hasConsole && inline.consoleSession == nil)
    }

    @Test func `A relative path in the configuration file is relative to the file's directory`() throws {
        let options = try directory.read(
            #"{ data: "kept", flows: ["a.json5", "/b"], "token-file": "none", socket: "it.sock" }"#
        )
        .options
        #expect(options.dataDirectory == "\(directory.path)/kept" && options.flowFiles == ["\(directory.path)/a.json5", "/b"])
        #expect(options.tokenFile == "\(directory.path)/none" && options.socketPath == "\(directory.path)/it.sock")
        #expect(try directory.read(#"{ data: "none" }"#).options.dataDirectory == nil)
        #expect(try directory.read(nil, ["--data", "kept"]).options.dataDirectory == "kept")
    }

    @Test func `A setting keeps its default if it is null or its variable is empty`() throws {
        let options = try directory.read("{ log: null, limit: { sessions: null }, listen: [] }", [], ["GAMED_TIME": ""]).options
        #expect(options.logLevel == .notice && options.limits == Limits() && options.time == .system)
    }

    @Test func `Settings are read with --check and not with --version`() throws {
        #expect(try directory.mistakes("{ nonsense", ["--version"], ["GAMED_LOG": "loud"]).isEmpty)
        #expect(try directory.mistakes("{ nonsense", ["--check"]).count == 1)
    }
}

@Suite struct `The configuration file` {
    private let directory: ConfigurationDirectory

    init() throws { directory = try ConfigurationDirectory() }

    @Test func `A configuration file may be missing at its default path but not at a given path`() throws {
        #expect(try directory.mistakes(nil).isEmpty)
        #expect(
            try directory.mistakes(nil, ["--config", "/nowhere/it"]) == [
                "--config: cannot read /nowhere/it: there is no such file"
            ])
        #expect(
            try directory.mistakes(nil, [], ["GAMED_CONFIG": "/nowhere/it"]) == [
                "GAMED_CONFIG: cannot read /nowhere/it: there is no such file"
            ])
        #expect(try directory.read("{ log: 1 }", ["--config", "none"]).mistakes.isEmpty)
        #expect(try directory.read("{}").options.origins.file == directory.file)
    }

    @Test func `An unreadable configuration file is an error that suggests --config none`() throws {
        #expect(
            try Configuration([], in: Environment(value: { _ in nil }, names: []), usually: directory.path).mistakes.map(
                \.description)
                == ["--config: cannot read \(directory.path): it is not a regular file; --config none starts without one"])
    }

    @Test func `A token in the environment overrides the file's token-file but not --token-file`() throws {
        let (file, token) = (#"{ "token-file": "/a" }"#, ["GAMED_TOKEN": "x"])
        #expect(try directory.read(file).options.tokenFile == "/a")
        #expect(try directory.read(file, [], token).options.tokenFile == nil)
        #expect(try directory.read(file, ["--token-file", "/b"], token).options.tokenFile == "/b")
    }
}
