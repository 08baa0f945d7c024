// Unmodified clients by other authors.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `Real clients` {
    @Test func `redis-cli sends commands and events with RESP2 and RESP3`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let client = { (words: [String]) in try run("redis-cli", ["-s", daemon.socketPath] + words).output }
        #expect(try client(["SEND", "room", "pass"]) == "second\n")
        #expect(try client(["-3", "EVENTS", "room"]) == "pass\n")
        #expect(try client(["-3", "--json", "STATE", "room"]).contains(#""version":1,"postponed":[],"paused":false"#))
        #expect(try client(["SEND", "room", "jump"]) == "BADEVENT 'turns' has no event 'jump'; available: pass\n\n")
    }

    @Test func `redis-cli reads commands from its input`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let output = try run("redis-cli", ["-s", daemon.socketPath], input: "SEND room pass\nADVANCE 30s\nSEND room pass\n")
            .output
        #expect(output == "second\n1\nsecond\n")
    }

    @Test(arguments: [[], ["-3"]])
    func `redis-benchmark completes with RESP2 and RESP3`(options: [String]) throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let result = try run(
            "redis-benchmark", options + ["-s", daemon.socketPath, "-n", "2000", "-P", "16", "-q", "SEND", "room", "pass"])
        #expect(result.status == 0)
        #expect(result.output.contains("requests per second"), "\(result.output)")
        try transcript("> SEND room pass\n< +second", to: daemon)
    }

    @Test func `nc sends commands and receives replies`() throws {
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        #expect(
            try run("nc", ["-N", "-U", daemon.socketPath], input: "PING\nSEND room pass\n").output == "+PONG\r\n+second\r\n")
    }

    @Test func `redis-py works with plain, pipelined and asynchronous commands, and subscriptions`() throws {
        let python = packageRoot.appending(path: ".build/clients/bin/python").path
        try #require(FileManager.default.isExecutableFile(atPath: python), "make deps-test installs redis-py")
        let daemon = try RunningDaemon.virtual(["--session", "room=turns"])
        let script = packageRoot.appending(path: "Tests/Clients/redis_py.py").path
        let result = try run(python, [script, daemon.socketPath])
        #expect(result.status == 0, "\(result.output)")
    }

    /// Each screen is an example user interface that does not poll.
    @Test(arguments: ["python", "node"])
    func `An example screen shows the current state through session changes and daemon restarts`(language: String) throws {
        let python = packageRoot.appending(path: ".build/clients/bin/python").path
        let script = packageRoot.appending(path: "Tests/Clients/screens.py").path
        let gamed = productsDirectory.appending(path: "gamed").path
        let result = try Program(python, [script, gamed, language], environment: ["NODE_PATH": "/usr/share/nodejs"])
        #expect(result.status == 0, "\(result.errors)")
    }
}
