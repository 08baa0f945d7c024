// The configuration file: effective settings, reloads and checks.

import Foundation
import TestSupport
import Testing

/// A daemon with a configuration file that the test rewrites.
private final class ConfiguredDaemon {
    let folder: Folder
    let daemon: RunningDaemon
    var file: String { folder.path + "/gamed.json5" }

    init(_ text: String, _ words: [String] = [], environment: [String: String] = [:], reads: Bool = true) throws {
        folder = try Folder()
        try text.write(toFile: folder.path + "/gamed.json5", atomically: true, encoding: .utf8)
        daemon = try RunningDaemon(
            ["--config", folder.path + "/gamed.json5", "--data", "none"] + words, in: URL(fileURLWithPath: folder.path),
            environment: environment)
        if reads { _ = daemon.readLine() }
    }

    func write(_ text: String, to name: String = "gamed.json5") throws {
        try text.write(toFile: folder.path + "/" + name, atomically: true, encoding: .utf8)
    }

    func gamectl(_ words: String...) throws -> Program {
        try Program(gamectlPath, words, environment: ["GAMED_SOCKET": folder.socket])
    }

    /// Returns the line of `gamectl config` about a setting, with its columns separated by one blank.
    func shown(_ name: String) throws -> String? {
        let lines = try gamectl("config", name).output.split(separator: "\n").map { line in
            line.split(separator: " ").joined(separator: " ").replacing(file, with: "F")
        }
        return lines.first { $0.hasPrefix("\(name) ") }
    }
}

@Suite(.serialized) struct `A daemon with a configuration file` {
    private static let base = #"socket: "gamed.sock", http: "none""#
    private static let lamp = #"{ id: "lamp", initial: "off", states: { off: { on: { press: "on" } }, on: {} } }"#

    @Test func `Options and the environment override the configuration file, and each origin is shown`() throws {
        let it = try ConfiguredDaemon(
            "{ \(Self.base), log: \"info\",\n  session: { main: \"game\" }, limit: { sessions: 7, connections: 70 } }",
            ["--limit", "connections=60", "--limit", "Sessions=6"], environment: ["GAMED_LOG": "debug"])
        #expect(try it.gamectl("sessions").output == "main\n")
        #expect(try it.shown("socket") == "socket \(it.folder.socket) F:1:11")
        #expect(try it.shown("session") == "session main=game F:2:12")
        #expect(try it.shown("log") == "log debug GAMED_LOG")
        #expect(try it.shown("limit.sessions") == "limit.sessions 6 --limit")
        #expect(try it.shown("limit.ids") == "limit.ids 64 default")
        #expect(try it.shown("config") == "config F --config")
        #expect(try it.gamectl("raw", "CONFIG", "SET", "connections", "50").status == 0)
        #expect(try it.shown("limit.connections") == "limit.connections 50 CONFIG SET")
        let changed = try it.gamectl("config", "--changed").output
        #expect(changed.contains("limit.connections") && !changed.contains("limit.ids"))
        #expect(try it.gamectl("config", "--changed", "limit.ids").errors == "every setting that matches is at its default\n")
        let json = try it.gamectl("--json", "config", "log").output
        #expect(json == #"[{"name":"log","value":"debug","origin":"GAMED_LOG","pending":null}]"# + "\n")
    }

    @Test func `A FIFO in place of the configuration file is refused without blocking`() throws {
        let it = try ConfiguredDaemon("{ \(Self.base) }")
        try FileManager.default.removeItem(atPath: it.file)
        try #require(mkfifo(it.file, 0o600) == 0)
        it.daemon.signal(SIGHUP)
        #expect(it.daemon.complains("cannot read \(it.file): it is not a regular file"))
        #expect(try it.gamectl("health").status == 0)
        let check = try RunningDaemon(["--config", it.file, "--check"]).waitForEnd()
        #expect(check.status == 78 && check.errors.contains("it is not a regular file"), "\(check.errors)")
    }

    @Test func `SIGHUP applies the settings that can change, and names those that need a restart`() throws {
        let it = try ConfiguredDaemon("{ \(Self.base), limit: { sessions: 7 } }")
        #expect(try it.gamectl("raw", "CONFIG", "SET", "connections", "50").status == 0)
        try it.write(Self.lamp, to: "lamp.json5")
        try it.write(
            """
            { \(Self.base), log: "info", flows: "lamp.json5", durability: "always",
              limit: { sessions: 8, "history": 1000 } }
            """)
        let dry = try it.gamectl("reload", "DRY").output
        #expect(dry.contains("lamp: would be new") && dry.contains("limit sessions: 8, in place of 7"))
        #expect(try it.shown("limit.sessions") == "limit.sessions 7 F:1:58", "\(dry)")
        it.daemon.signal(SIGHUP)
        #expect(it.daemon.complains("notice: limit sessions: 8, in place of 7"))
        #expect(it.daemon.complains("notice: log: info, in place of notice"))
        #expect(it.daemon.complains("notice: durability: always needs a restart; until then it is everysec"))
        #expect(it.daemon.complains("notice: limit history: 1000 needs a restart; until then it is 262144"))
        #expect(try it.gamectl("new", "desk", "lamp").status == 0)
        #expect(try it.shown("log") == "log info F:1:44")
        #expect(try it.shown("limit.connections") == "limit.connections 50 CONFIG SET", "an unchanged setting stays")
        let waiting = try it.gamectl("config", "durability", "limit.history").output
        #expect(waiting.contains("durability will be always after a restart\nlimit.history will be 1000 after a restart"))
        #expect(waiting.contains("everysec") && waiting.contains("262144"))
        it.daemon.signal(SIGHUP)
        #expect(it.daemon.complains("notice: SIGHUP: the flow file has not changed"))
    }

    @Test(arguments: ["configuration", "flow", "token", "devices"])
    func `A reload with any invalid file changes nothing`(place: String) throws {
        let files = #"flows: "lamp.json5", "token-file": "token", bluetooth: "devices.json""#
        let it = try ConfiguredDaemon("{ \(Self.base) }")
        try it.write(place == "flow" ? "{ id: 1 }" : Self.lamp, to: "lamp.json5")
        try it.write(place == "token" ? "short\n" : "a-token-that-nobody-guesses\n", to: "token")
        chmod(it.folder.path + "/token", 0o600)
        try it.write(
            place == "devices" ? "{}" : #"{"devices":[{"name":"c","address":"C0:FF:EE:00:00:01"}]}"#, to: "devices.json")
        let wrong = place == "configuration" ? ", limit: { sessions: 0 }" : ""
        try it.write("{ \(Self.base), log: \"info\", \(files)\(wrong) }")
        let answer = try it.gamectl("reload")
        #expect(answer.status == 1 && answer.errors.hasSuffix("; nothing has changed\n"), "\(answer.errors)")
        #expect(answer.errors.contains(place == "flow" ? "BADFLOW \(it.folder.path)/lamp.json5:1:" : "BADCONFIG "))
        #expect(it.daemon.complains("error: RELOAD: nothing has changed"))
        #expect(try it.shown("log") == "log notice default" && it.shown("flows") == "flows none default")
        #expect(try it.gamectl("new", "desk", "lamp").errors.contains("NOFLOW"))
        #expect(try it.gamectl("bluetooth", "list").output == "")
        // Once all files are valid, a reload applies all of them.
        try it.write(Self.lamp, to: "lamp.json5")
        try it.write("a-token-that-nobody-guesses\n", to: "token")
        chmod(it.folder.path + "/token", 0o600)
        try it.write(#"{"devices":[{"name":"c","address":"C0:FF:EE:00:00:01"}]}"#, to: "devices.json")
        try it.write("{ \(Self.base), log: \"info\", \(files) }")
        #expect(try it.gamectl("reload").status == 0)
        #expect(try it.gamectl("new", "desk", "lamp").status == 0)
        #expect(try it.gamectl("bluetooth", "list").output.contains("C0:FF:EE:00:00:01"))
        #expect(try it.shown("token-file") == "token-file \(it.folder.path)/token F:1:87")
        // A reload without the settings removes them and sets the flow's session aside.
        try it.write("{ \(Self.base) }")
        #expect(try it.gamectl("reload").output.contains("lamp: gone, 1 session is set aside"))
        #expect(try it.gamectl("bluetooth", "list").output == "")
        #expect(try it.shown("log") == "log notice default")
    }

    @Test(arguments: [
        (#"advertise: "venue-a:7654""#, "--advertise requires --store"),
        (#"listen: "127.0.0.1:0""#, "so clients need a token there"),
        (#""bluetooth-record": "r.btsnoop""#, "a replay or a recording needs devices"),
        (#""tls-cert": "c.pem""#, "--tls-cert needs the certificate's key, too"),
        (#"session: { hall: "lapm" }"#, "there is no flow 'lapm'"),
        (#"expire: { lapm: "1h" }"#, "--expire: there is no flow 'lapm'"),
    ])
    func `A reload refuses settings with which the daemon would not start again, and changes nothing`(
        setting: (text: String, error: String)
    ) throws {
        let it = try ConfiguredDaemon("{ \(Self.base) }")
        try it.write("{ \(Self.base), log: \"info\", \(setting.text) }")
        let answer = try it.gamectl("reload")
        #expect(answer.status == 1 && answer.errors.contains("BADCONFIG \(it.file):1:"), "\(answer.errors)")
        #expect(answer.errors.contains(setting.error) && answer.errors.hasSuffix("; nothing has changed\n"), "\(answer.errors)")
        #expect(try it.shown("log") == "log notice default")
    }

    @Test func `A daemon with an invalid configuration file fails to start with status 78`() throws {
        let it = try ConfiguredDaemon("{ \(Self.base), lisen: 1,\n  log: \"loud\" }", reads: false)
        let end = it.daemon.waitForEnd()
        #expect(end.status == 78)
        #expect(
            end.errors.replacing(it.file, with: "F") == """
                gamed: the configuration has 2 mistakes:
                F:1:39: error: there is no setting 'lisen'; did you mean 'listen'?
                F:2:8: error: the log's level is one of error, warning, notice, info, debug, not 'loud'

                """)
    }

    @Test(
        arguments: [
            (#"session: { a: "chess" }"#, "1:53: error: there is no flow 'chess'"),
            (#"session: { a: "game:cellar" }"#, "1:53: error: 'game' has no state 'cellar'"),
            (#"expire: { chess: "10m" }"#, "1:56: error: --expire: there is no flow 'chess'"),
            (#"advertise: "venue-a:7654""#, "1:50: error: --advertise requires --store"),
            (#"console: "hall""#, "1:48: error: --console shows an existing session, not 'hall'"),
        ], [[], ["--check"]])
    func `A setting that a daemon cannot apply is reported with its place by a start and by a check, with status 78`(
        setting: (text: String, error: String), words: [String]
    ) throws {
        let folder = try Folder()
        let file = folder.path + "/gamed.json5"
        try "{ \(Self.base), \(setting.text) }".write(toFile: file, atomically: true, encoding: .utf8)
        let gamed = productsDirectory.appending(path: "gamed").path
        let end = try Program(gamed, ["--config", file, "--data", "none"] + words)
        #expect(end.status == 78 && end.errors.hasPrefix("gamed: \(file):\(setting.error)"), "\(end.errors)")
    }

    @Test func `A check beside a running daemon reports every mistake of the file with its position`() throws {
        let it = try ConfiguredDaemon("{ \(Self.base) }")
        // A check waits 2 s for the daemon's reply, and a busy machine may need longer.
        let check = {
            try again(while: { $0.errors.contains("another daemon listens at") }) {
                try Program(productsDirectory.appending(path: "gamed").path, ["--check", "--config", it.file])
            }
        }
        try it.write("{ \(Self.base), data: \"none\", session: { main: \"game\" } }")
        let well = try check()
        #expect(well.status == 0 && well.output.contains("would print: configuration: \(it.file)"), "\(well.errors)")
        #expect(well.output.contains("answers at \(it.folder.socket); stop it first"))
        try it.write(
            """
            { \(Self.base), data: "/nowhere/at/all", logg: "info",
              session: { main: "chess" },
              listen: "192.0.2.1:1", "token-file": "token",
            }
            """)
        let wrong = try check()
        #expect(wrong.status == 78)
        let lines = wrong.errors.replacing(it.file, with: "F").split(separator: "\n").map { String($0.prefix(52)) }
        #expect(
            lines
                == [
                    "gamed: F:1:64: error: there is no setting 'logg'; did you mean 'log'?",
                    "gamed: F:3:40: error: cannot read the token file \(it.folder.path)",
                    "gamed: F:1:45: error: cannot create the data directory /nowhere/at/all",
                    "gamed: F:3:11: error: cannot listen at 192.0.2.1:1: Cannot assign requested address",
                    "gamed: F:2:20: error: there is no flow 'chess'; available:",
                ].map { String($0.prefix(52)) }, "\(wrong.errors)")
        #expect(try it.gamectl("flows").status == 0, "the daemon continues")
    }
}
