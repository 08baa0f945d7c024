// Users and groups that may use the UNIX socket. Only root can start processes of other users.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: geteuid() == 0, "only root can run processes as other users")) struct `Users and groups on the socket` {
    /// A directory that every user can read; removed in `deinit`.
    private final class Place {
        let path = "/tmp/gamed-\(UUID().uuidString.prefix(8))"

        init() throws {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let place: Place

    init() throws { place = try Place() }

    private func start(_ words: String...) throws -> RunningDaemon {
        let daemon = try RunningDaemon(
            ["--socket", place.path + "/gamed.sock", "--session", "room=turns"] + words, in: URL(fileURLWithPath: place.path))
        _ = try #require(daemon.readLine(), "\(daemon.errors)")
        return daemon
    }

    /// Runs redis-cli as this user with these groups, and returns its output.
    private func answer(_ words: String..., user: Int = 4_001, group: Int = 4_001, groups: String = "--clear-groups") throws
        -> String
    {
        let program = try Program(
            "/usr/bin/setpriv",
            ["--reuid=\(user)", "--regid=\(group)", groups, "/usr/bin/redis-cli", "-s", place.path + "/gamed.sock"] + words)
        return (program.output + program.errors).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func `A socket without allowed users refuses other users, even if its file mode admits them`() throws {
        let daemon = try start()
        #expect(try answer("PING").contains("Permission denied"))
        chmod(daemon.socketPath, 0o666)
        let stranger = ["--reuid=4001", "--regid=4001", "--clear-groups", "/usr/bin/nc", "-N", "-U", daemon.socketPath]
        let output = try run("setpriv", stranger, input: "").output
        let rule = "-NOPERM this daemon admits only its own user, root, and users and groups of --allow-user"
        #expect(output.hasPrefix(rule), "\(output)")
        // The connection may end before a client that sends has read the error.
        #expect(try answer("PING") != "PONG")
        #expect(daemon.complains("refused a connection: NOPERM this daemon admits only its own user"))
        #expect(daemon.complains("not '4001'"))
        // By number, although the system knows the name.
        _ = try answer("PING", user: 65_534)
        #expect(daemon.complains("not '65534'"))
        try transcript("> SEND room pass\n< +second", to: daemon)
    }

    @Test func `An allowed user is admitted with the given role`() throws {
        let daemon = try start("--allow-user", "4001:play", "--allow-user", "4002", "--allow-user", "65534:play")
        #expect(try answer("SEND", "room", "pass") == "second")
        #expect(try answer("DROP", "room").hasPrefix("NOPERM User '4001' has no permissions to run the 'DROP' command"))
        #expect(try answer("PAUSE", "room", user: 4_002) == "OK")
        #expect(try answer("HISTORY", "room", "COUNT", "1", user: 4_002).contains("4002"), "the history names the actor")
        let named = "NOPERM User 'nobody' has no permissions to run the 'DROP' command"
        #expect(try answer("DROP", "room", user: 65_534).hasPrefix(named), "by name, where the system knows one")
        #expect(try answer("PING", user: 4_003).contains("Permission denied"))
        #expect(try mode(daemon) == 0o660)
    }

    @Test func `Members of an allowed group are admitted, by primary or supplementary group`() throws {
        let daemon = try start("--allow-group", "4100:read")
        #expect(try answer("STATE", "room", group: 4_100).contains("first"))
        #expect(try answer("STATE", "room", groups: "--groups=4099,4100").contains("first"))
        #expect(try answer("SEND", "room", "pass", groups: "--groups=4099,4100").hasPrefix("NOPERM User '4001'"))
        #expect(try answer("PING", groups: "--groups=4099").contains("Permission denied"))
        var info = stat()
        #expect(stat(daemon.socketPath, &info) == 0 && info.st_gid == 4_100, "the group owns the socket's file")
        #expect(try mode(daemon) == 0o660)
    }

    @Test func `Each allowed group has its own role, and a user in two groups gets the higher one`() throws {
        let daemon = try start("--allow-group", "4100:read", "--allow-group", "4200:master")
        #expect(try answer("SEND", "room", "pass", group: 4_100).hasPrefix("NOPERM"))
        #expect(try answer("PAUSE", "room", group: 4_200) == "OK")
        #expect(try answer("RESUME", "room", groups: "--groups=4100,4200") == "OK")
        #expect(try answer("PING", group: 4_300).contains("Permission denied"))
        #expect(try mode(daemon) == 0o660)
    }

    @Test func `SIGHUP applies a new user list and closes the connections of removed users`() throws {
        let file = place.path + "/gamed.json5"
        func write(_ text: String) throws { try text.write(toFile: file, atomically: true, encoding: .utf8) }
        try write("{ 'allow-user': ['4001'] }")
        let daemon = try start("--config", file)
        let input = Pipe()
        let nc = ["/usr/bin/nc", "-N", "-U", daemon.socketPath]
        let old = try RunningProgram("setpriv", ["--reuid=4001", "--regid=4001", "--clear-groups"] + nc, input: input)
        input.fileHandleForWriting.write(Data("PING\r\n".utf8))
        #expect(old.says("+PONG\r\n"))
        try write("{ 'allow-user': ['4002:read'] }")
        daemon.signal(SIGHUP)
        #expect(daemon.complains("notice: read the users and groups again"))
        _ = old.waitForStatus()
        #expect(daemon.complains("its permissions have changed"))
        #expect(try answer("PING").contains("Permission denied"))
        #expect(try answer("STATE", "room", user: 4_002).contains("first"))
        try write("{ 'allow-user': ['nobody-of-that-name'] }")
        daemon.signal(SIGHUP)
        #expect(daemon.complains("this machine has no user 'nobody-of-that-name'"))
        #expect(try answer("STATE", "room", user: 4_002).contains("first"), "an invalid file changes nothing")
    }

    /// Other users can execute gamectl only if its parent directories admit them.
    @Test func `gamectl names the group to join if it may not open the socket`() throws {
        let daemon = try start("--allow-group", "4100")
        let other = ["--reuid=4001", "--regid=4001", "--clear-groups"]
        guard try Program("/usr/bin/setpriv", other + ["/usr/bin/test", "-x", gamectlPath]).status == 0 else { return }
        let program = try Program("/usr/bin/setpriv", other + [gamectlPath, "--socket", daemon.socketPath, "flows"])
        #expect(program.status == 2)
        #expect(
            program.errors
                == "gamectl: you may not open \(daemon.socketPath): it is for the user 'root' and the group '4100'; "
                + "'adduser YOU 4100' adds you to it, from the next login on\n")
    }

    private func mode(_ daemon: RunningDaemon) throws -> mode_t {
        var info = stat()
        try #require(stat(daemon.socketPath, &info) == 0)
        return info.st_mode & 0o777
    }
}

@Suite struct `A user or group that does not exist` {
    @Test(arguments: [
        (
            "--allow-group", "no-such-group-here",
            "--allow-group: this machine has no group 'no-such-group-here'; 'groupadd no-such-group-here'"
        ),
        (
            "--allow-user", "no-such-user-here:play",
            "--allow-user: this machine has no user 'no-such-user-here'; 'useradd no-such-user-here'"
        ),
        ("--allow-user", "4294967295", "this machine has no user '4294967295'"),
        ("--allow-group", "+5", "this machine has no group '+5'"),
    ])
    func `A missing user or group is a configuration error, at a start and in a check`(
        option: String, value: String, sentence: String
    ) throws {
        for words in [[option, value], [option, value, "--check"]] {
            let end = try RunningDaemon(words).waitForEnd()
            #expect(end.status == 78 && end.errors.contains(sentence), "\(end)")
        }
    }

    @Test func `A user with a role that does not exist is refused at the start`() throws {
        let end = try RunningDaemon(["--allow-user", "root:king"]).waitForEnd()
        #expect(end.status == 64)
        #expect(
            end.errors == "gamed: there is no role 'king' for the user 'root'; available: read, play, orchestrator, master\n")
    }
}
