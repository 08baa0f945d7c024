// Settings that RELOAD and SIGHUP change: each is in force afterwards.

import EventLoop
import Testing
import Timers
@testable import Commands
@testable import GameDaemon
@testable import Logging

@Suite struct `A setting that changes while the daemon runs` {
    /// A value other than the default, and a check of its effect beyond the options in force.
    private struct Sample {
        let value: String
        var effect: (Daemon, _ inForce: Options, _ old: Options) -> Bool = { _, _, _ in true }

        /// Checks that exactly this file or list is reloaded with the new options.
        static func reads(_ name: String, _ value: String) -> Sample {
            Sample(value: value) { daemon, inForce, old in
                Service.reloadables(inForce, insteadOf: old, daemon, nil).map(\.name) == [name]
            }
        }
    }

    private static var samples: [String: Sample] {
        [
            "token-file": .reads("token file", "tokens"),
            "allow-user": .reads("users and groups", "root:play"),
            "allow-group": .reads("users and groups", "root:read"),
            "tls-cert": Sample(value: "b.pem"), "tls-key": Sample(value: "b.key"), "tls-client-ca": Sample(value: "ca.pem"),
            "flows": Sample(value: "flows"),
            "bluetooth": .reads("device file", "devices.json5"),
            "limit": Sample(value: "ids=123") { daemon, _, _ in daemon.limits.ids == 123 },
            "log": Sample(value: "debug") { daemon, _, _ in daemon.log.level == .debug },
            "log-time": Sample(value: "local") { daemon, _, _ in daemon.log.zone == .local },
        ]
    }

    @Test func `The help of RELOAD lists exactly the settings that a reload applies`() {
        #expect(DaemonOption.settings.filter(\.changesLive).map(\.key) == LiveSetting.allCases.map(\.rawValue))
        #expect(Command.reload.details.contains("and limits other than history, session-history and history-bytes;"))
        #expect(Command.config.details.contains("limits other than history, session-history and history-bytes."))
    }

    @Test(arguments: DaemonOption.settings.filter(\.changesLive).map(\.key))
    func `A setting that changes while the daemon runs is in force after a reload`(key: String) throws {
        let sample = try #require(Self.samples[key], "the list of samples lacks '\(key)'")
        // TLS is not turned on or off by a reload.
        var base = key.hasPrefix("tls-") ? ["tls-cert": "a.pem", "tls-key": "a.key"] : [:]
        let old = try options(base)
        base[key] = sample.value
        let new = try options(base)
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [])
        let settings = LiveSettings(old, of: daemon)
        #expect(settings.changes(to: new).count == 1 && !settings.changes(to: new)[0].needsRestart)
        settings.apply(new)
        var inForce = settings.options
        inForce.origins.words = new.origins.words
        #expect(inForce == new)
        #expect(settings.settings.allSatisfy { $0.pending == nil })
        #expect(sample.effect(daemon, settings.options, old), "the daemon does not use it")
    }

    @Test func `A reload names the value of a limit that CONFIG SET has set, and that it replaces`() throws {
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [])
        let settings = LiveSettings(try options(["limit": "sessions=100"]), of: daemon)
        daemon.limits.sessions = 50
        let changes = { (value: Int) in settings.changes(to: try options(["limit": "sessions=\(value)"])).map(\.description) }
        #expect(try changes(100) == [])
        #expect(try changes(200) == ["limit sessions: 200, in place of 50"])
        #expect(try changes(50) == [], "it is in force already")
    }

    @Test func `A reload names the log level that CONFIG SET has set, and that it replaces`() throws {
        let daemon = try Daemon(on: Loop(Timekeeper(VirtualClock())), flows: [])
        let settings = LiveSettings(try options(["log": "warning"]), of: daemon)
        daemon.host.setLogLevel(.debug)
        let changes = { (level: String) in settings.changes(to: try options(["log": level])).map(\.description) }
        #expect(try changes("warning") == [])
        #expect(try changes("error") == ["log: error, in place of debug"])
        #expect(try changes("debug") == [], "it is in force already")
    }

    private func options(_ settings: [String: String]) throws -> Options {
        let words = settings.sorted { $0.key < $1.key }.flatMap { ["--\($0.key)", $0.value] }
        return try ConfigurationDirectory().read(nil, words).options
    }
}
