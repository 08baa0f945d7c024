// `gamectl token`, and a daemon that accepts its tokens over TCP, over HTTP and at the page.

import Foundation
import Synchronization
import TestSupport
import Testing

extension Folder {
    fileprivate var tokens: String { path + "/tokens" }

    /// Creates a token with `gamectl token new`, and returns it.
    fileprivate func makeToken(_ words: String...) throws -> String {
        let program = try Program(gamectlPath, ["token", "new"] + words + ["--file", tokens])
        #expect(program.status == 0, "\(program.errors)")
        return program.output.trimmingCharacters(in: .newlines)
    }
}

@Suite struct `gamectl token` {
    private let folder: Folder
    private var file: String { folder.tokens }

    init() throws { folder = try Folder() }

    private func token(_ words: String..., status: Int32 = 0) throws -> Program {
        let program = try Program(gamectlPath, ["token"] + words + ["--file", file])
        #expect(program.status == status, "\(program.errors)")
        return program
    }

    private var text: String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

    @Test func `gamectl token new prints a random secret and stores only its SHA-256 in a private file`() throws {
        let tokens = [try folder.makeToken("ann", "--role", "master"), try folder.makeToken("bob", "--role", "read")]
        for (token, name) in zip(tokens, ["ann", "bob"]) {
            let parts = token.split(separator: ".").map(String.init)
            #expect(parts.count == 2 && parts[0] == name && parts[1].count == 43, "\(token)")
            let digest = try Program("/bin/sh", ["-c", "printf %s '\(parts[1])' | sha256sum | cut -d' ' -f1"]).output
            #expect(text.contains("\(name) \(name == "ann" ? "master" : "read") sha256=\(digest)"))
            #expect(!text.contains(parts[1]))
        }
        #expect(tokens[0].split(separator: ".")[1] != tokens[1].split(separator: ".")[1])
        var info = stat()
        #expect(stat(file, &info) == 0 && info.st_mode & 0o777 == 0o600)
        #expect(text.hasPrefix("# gamed's tokens: "))
    }

    @Test func `Tokens that are created concurrently are all stored`() throws {
        let made = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 12) { index in
            let token = try? Program(gamectlPath, ["token", "new", "t\(index)", "--role", "read", "--file", file])
            if token?.status == 0 { made.withLock { $0.append("t\(index)") } }
        }
        #expect(made.withLock(\.count) == 12)
        #expect(made.withLock { $0.allSatisfy { text.contains("\n\($0) read ") } }, "\(text)")
    }

    @Test func `gamectl token lists and revokes tokens, and keeps comments and file permissions`() throws {
        _ = try folder.makeToken("ann", "--role", "master", "--comment", "at the door")
        try (text + "# mine\n").write(toFile: file, atomically: true, encoding: .utf8)
        chmod(file, 0o640)
        _ = try folder.makeToken("room7", "--role", "play", "--sessions", "room-7-*,lobby", "--quota", "10", "--rate", "50")
        let list = try token("list").output
        #expect(
            list.contains("room7") && list.contains("room-7-*,lobby") && list.contains("50/s") && list.contains("at the door"))
        #expect(text.contains("room7 play sessions=room-7-*,lobby quota-sessions=10 rate=50/s sha256="))
        _ = try token("revoke", "ann")
        #expect(!text.contains("ann ") && text.contains("# mine\n") && text.contains("room7 "))
        #expect(try token("--json", "revoke", "room7").output == "{\"revoked\":\"room7\"}\n")
        #expect(try token("list").errors.contains("there are no tokens"))
        var info = stat()
        #expect(stat(file, &info) == 0 && info.st_mode & 0o777 == 0o640, "the file's mode is kept")
    }

    @Test(arguments: [
        (["new", "ann"], "--role is missing: read, play, orchestrator, master"), (["new"], "a token's name is missing"),
        (["new", "ann", "--role", "king"], "there is no role 'king' for the token 'ann'"),
        (["nonsense"], "'gamectl token' takes new NAME, list or revoke NAME"),
    ])
    func `gamectl token refuses invalid arguments with status 64 and no new file`(words: [String], sentence: String) throws {
        let program = try Program(gamectlPath, ["token"] + words + ["--file", file])
        #expect(program.status == 64 && program.errors.contains(sentence), "\(program.errors)")
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test(arguments: [
        (["list"], "tokens", "there is no such file"), (["revoke", "ann"], "tokens", "there is no such file"),
        (["list"], "", "it is not a regular file"),
        (["new", "ann", "--role", "read"], "none/tokens", "No such file or directory"),
    ])
    func `gamectl token exits with status 74 and writes no file if its file cannot be read or written`(
        words: [String], name: String, reason: String
    ) throws {
        let program = try Program(gamectlPath, ["token"] + words + ["--file", "\(folder.path)/\(name)"])
        #expect(program.status == 74 && program.errors.contains(reason), "\(program.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test func `gamectl token new keeps no token whose secret could not be written`() throws {
        _ = try folder.makeToken("ann", "--role", "read")
        let before = text
        let command = "exec \(gamectlPath) token new bob --role read --file \(file) >/dev/full"
        let program = try Program("/bin/sh", ["-c", command])
        #expect(program.status == 74 && text == before, "\(program)")
        #expect(files == ["tokens"])
        let pipe = "mkfifo \(file).pipe; exec 3<>\(file).pipe 4>\(file).pipe 3<&-; rm \(file).pipe"
        let unread = try Program(
            "/bin/sh", ["-c", "\(pipe); exec \(gamectlPath) token new bob --role read --file \(file) >&4"])
        #expect(unread.status == 74 && unread.errors == "" && text == before, "\(unread)")
        #expect(files == ["tokens"])
    }

    private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

    @Test(arguments: [[], ["--json"]])
    func `gamectl token new prints no secret that could not be stored`(options: [String]) throws {
        _ = try folder.makeToken("ann", "--role", "read")
        let before = text
        // A draft cannot be created in place of a directory, also by root.
        try FileManager.default.createDirectory(atPath: file + ".new", withIntermediateDirectories: false)
        let words = options + ["token", "new", "bob", "--role", "read", "--file", file]
        let program = try Program(gamectlPath, words)
        #expect(program.status == 74 && text == before, "\(program)")
        #expect((program.output + program.errors).contains("cannot write \(file).new: File exists"), "\(program)")
        #expect(options.isEmpty ? program.output == "" : program.output.hasPrefix(#"{"error":"#), "\(program)")
        #expect(program.output.split(separator: "\n").count == options.count)
        guard geteuid() != 0 else { return }
        try FileManager.default.removeItem(atPath: file + ".new")
        chmod(folder.path, 0o500)
        defer { chmod(folder.path, 0o700) }
        let unwritable = try Program(gamectlPath, ["token", "new", "bob", "--role", "read", "--file", file])
        #expect(unwritable.status == 74 && unwritable.output == "" && text == before, "\(unwritable)")
    }

    @Test func `gamectl token new that waits for the reader of its output does not block another one`() throws {
        let pipe = folder.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let filler = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        let page = [UInt8](repeating: 0, count: 4_096)
        while write(filler, page, page.count) > 0 {}
        close(filler)
        let writer = FileHandle(fileDescriptor: open(pipe, O_WRONLY | O_CLOEXEC), closeOnDealloc: true)
        let words = ["token", "new", "bob", "--role", "read", "--file", file]
        let waiting = try RunningProgram(gamectlPath, words, output: writer)
        let status = "/proc/\(waiting.processID)/status"
        #expect(eventually { (try? String(contentsOfFile: status, encoding: .utf8))?.contains("State:\tS") == true })
        _ = try folder.makeToken("ann", "--role", "read")
        #expect(text.contains("\nann read ") && !text.contains("\nbob "))
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        #expect(read(reader, &buffer, buffer.count) > 0)
        #expect(waiting.waitForStatus() == 0)
        #expect(text.contains("\nann read ") && text.contains("\nbob read "))
    }

    @Test func `gamectl token refuses a duplicate name, and never writes to a file with mistakes`() throws {
        _ = try folder.makeToken("ann", "--role", "master")
        #expect(
            try Program(gamectlPath, ["token", "new", "ann", "--role", "read", "--file", file]).errors.contains(
                "two tokens are named 'ann'"))
        let wrong = text + "bob\n"
        try wrong.write(toFile: file, atomically: true, encoding: .utf8)
        chmod(file, 0o600)
        #expect(try token("list", status: 65).errors.contains("tokens:3: error: a token is NAME ROLE"))
        #expect(try Program(gamectlPath, ["token", "new", "eve", "--role", "read", "--file", file]).status == 65)
        #expect(text == wrong)
    }

    @Test func `gamectl token changes the file that a link leads to, and keeps the link`() throws {
        _ = try folder.makeToken("ann", "--role", "master")
        let link = file + ".link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        #expect(try Program(gamectlPath, ["token", "new", "bob", "--role", "read", "--file", link]).status == 0)
        #expect(try Program(gamectlPath, ["token", "revoke", "ann", "--file", link]).status == 0)
        #expect(text.contains("\nbob read ") && !text.contains("\nann "), "\(text)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == file)
    }

    @Test func `A token added to a file with a single secret leaves the secret valid`() throws {
        try TcpDaemon.write(TcpDaemon.token, to: URL(fileURLWithPath: file))
        let made = try folder.makeToken("room7", "--role", "read", "--sessions", "room-7-*")
        let tcp = try TcpDaemon(
            token: nil, ["--token-file", file, "--session", "room-7-a=turns", "--session", "lobby=turns"], isTrusted: false)
        #expect(try tcp.answer("AUTH \(TcpDaemon.token)", "ACL WHOAMI", "DROP lobby") == "+OK\r\n$5\r\ntoken\r\n:1\r\n+OK\r\n")
        #expect(try tcp.answer("AUTH \(made)", "ACL WHOAMI") == "+OK\r\n$5\r\nroom7\r\n+OK\r\n")
    }
}

@Suite(.serialized) struct `A daemon with tokens` {
    private let folder: Folder
    private var file: String { folder.tokens }

    init() throws { folder = try Folder() }

    private func start(_ more: String...) throws -> TcpDaemon {
        try TcpDaemon(
            token: nil, ["--token-file", file, "--session", "room-7-a=turns", "--session", "lobby=turns"] + more,
            isTrusted: false)
    }

    @Test func `A token is accepted in every form of AUTH and HELLO that Redis clients send`() throws {
        let token = try folder.makeToken("room7", "--role", "play")
        let secret = token.split(separator: ".")[1]
        let tcp = try start()
        for login in ["AUTH \(token)", "AUTH default \(token)", "AUTH room7 \(secret)", "AUTH room7 \(token)"] {
            #expect(try tcp.answer(login, "SEND lobby pass").hasPrefix("+OK\r\n+"), "\(login)")
        }
        for login in ["default \(token)", "room7 \(secret)"] {
            #expect(try tcp.answer("HELLO 3 AUTH \(login)").hasPrefix("%7"), "\(login)")
        }
        for login in ["AUTH \(secret)", "AUTH room7.x", "AUTH lobby \(secret)", "AUTH room7 x", "AUTH nobody.\(secret)"] {
            #expect(try tcp.answer(login).hasPrefix("-WRONGPASS"), "\(login)")
        }
        let cli = try Program("/usr/bin/redis-cli", ["-p", "\(tcp.port)", "--no-auth-warning", "-a", token, "ACL", "WHOAMI"])
        #expect(cli.output == "room7\n")
        let user = try Program(
            "/usr/bin/redis-cli",
            ["-p", "\(tcp.port)", "--no-auth-warning", "--user", "room7", "--pass", String(secret), "ACL", "WHOAMI"])
        #expect(user.output == "room7\n")
    }

    @Test func `Ten wrong guesses in a minute block a token for that address, but no other token`() throws {
        let (guessed, other) = (try folder.makeToken("ann", "--role", "read"), try folder.makeToken("bob", "--role", "read"))
        let tcp = try start()
        for _ in 0..<10 { #expect(try tcp.answer("AUTH ann.guess").hasPrefix("-WRONGPASS")) }
        let wait = "-LIMIT 10 wrong tokens came from this address within a minute; try again in "
        #expect(try tcp.answer("AUTH ann.guess").hasPrefix(wait))
        #expect(try tcp.answer("AUTH \(guessed)").hasPrefix(wait), "the right token is blocked as well")
        #expect(try tcp.answer("AUTH \(other)") == "+OK\r\n+OK\r\n")
        #expect(tcp.daemon.complains("a wrong token from tcp:127.0.0.1:"))
    }

    @Test func `A reload closes the connections of revoked tokens and refuses those tokens`() throws {
        let (kept, gone) = (try folder.makeToken("kept", "--role", "read"), try folder.makeToken("gone", "--role", "read"))
        let tcp = try start()
        let wires = try [kept, gone].map { token in
            let wire = try tcp.connect()
            wire.send("AUTH \(token)\r\n")
            #expect(wire.read(5) == "+OK\r\n")
            return wire
        }
        #expect(try Program(gamectlPath, ["token", "revoke", "gone", "--file", file]).status == 0)
        tcp.daemon.signal(SIGHUP)
        #expect(wires[1].readToEnd() == "")
        wires[0].send("PING\r\n")
        #expect(wires[0].read(7) == "+PONG\r\n")
        #expect(try tcp.answer("AUTH \(gone)").hasPrefix("-WRONGPASS"))
        // Once the last token is revoked, the daemon admits no client and does not keep the old file.
        #expect(try Program(gamectlPath, ["token", "revoke", "kept", "--file", file]).status == 0)
        tcp.daemon.signal(SIGHUP)
        #expect(wires[0].readToEnd() == "")
        #expect(try tcp.answer("PING").hasPrefix("-NOAUTH"))
    }

    @Test func `An empty token file is refused, and a file with only a comment revokes all tokens`() throws {
        let token = try folder.makeToken("ann", "--role", "read")
        let tcp = try start()
        let advice = "\(file) is empty; to revoke all tokens, leave only a comment in it: echo '# no tokens' > \(file)"
        try "".write(toFile: file, atomically: false, encoding: .utf8)
        let wire = try TestClient(tcp.daemon.socketPath)
        wire.send("RELOAD\r\n")
        let refusal = wire.readLine()
        #expect(refusal.hasPrefix("-") && refusal.contains(advice), "\(refusal)")
        #expect(try tcp.answer("AUTH \(token)") == "+OK\r\n+OK\r\n")
        let end = try RunningDaemon(["--token-file", file]).waitForEnd()
        #expect(end.status == 78 && end.errors.contains(advice), "\(end.errors)")
        try "# no tokens\n".write(toFile: file, atomically: false, encoding: .utf8)
        wire.send("RELOAD\r\n")
        #expect(!wire.readLine().hasPrefix("-"))
        #expect(try tcp.answer("AUTH \(token)").hasPrefix("-WRONGPASS"))
    }

    @Test func `A daemon reports each mistake in the token file with its line and does not start`() throws {
        try "ann master sha256=12\n# fine\nbob king\neve read sha256=\(String(repeating: "a", count: 64)) colour=red\n"
            .write(toFile: file, atomically: true, encoding: .utf8)
        chmod(file, 0o600)
        for check in [[], ["--check"]] {
            let end = try RunningDaemon(["--token-file", file] + check).waitForEnd()
            #expect(end.status == 78)
            #expect(end.errors.contains("\(file):1: error: the token 'ann' needs 64 hexadecimal digits after sha256="))
            #expect(end.errors.contains("\(file):3: error: there is no role 'king' for the token 'bob'"))
            #expect(end.errors.contains("\(file):4: error: unknown word 'colour=red' for the token 'eve'"))
        }
    }

    // MARK: HTTP

    private func http(_ daemon: TcpDaemon, _ words: String..., token: String? = nil) throws -> (status: String, body: String) {
        let port = try #require(daemon.page)
        let header = token.map { ["-H", "Authorization: Bearer \($0)"] } ?? []
        let curl = try Program(
            "/usr/bin/curl",
            ["-s", "-m", "20", "-w", "\n%{http_code}"] + header + words.dropLast() + [
                "http://127.0.0.1:\(port)\(words.last ?? "")"
            ])
        let lines = curl.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return (lines.last ?? "", lines.dropLast().joined(separator: "\n"))
    }

    private func post(_ daemon: TcpDaemon, _ json: String, _ path: String, token: String?) throws -> (
        status: String, body: String
    ) {
        try http(daemon, "-H", "Content-Type: application/json", "-d", json, path, token: token)
    }

    @Test func `HTTP requests need a token and are limited to its role, sessions and quota`() throws {
        let reader = try folder.makeToken("reader", "--role", "read")
        let room = try folder.makeToken("room7", "--role", "master", "--sessions", "room-7-*", "--quota", "1", "--rate", "1000")
        let tcp = try start("--http", "127.0.0.1:0")
        #expect(try http(tcp, "/api/sessions").status == "401")
        #expect(try http(tcp, "/api/sessions", token: "reader.x").status == "401")
        #expect(try http(tcp, "/api/sessions/lobby", token: reader).status == "200")
        let refused = try post(tcp, #"{"event":"pass"}"#, "/api/sessions/lobby/events", token: reader)
        #expect(refused.status == "403" && refused.body.contains("the role is read; required: play"), "\(refused)")
        #expect(tcp.daemon.complains("refused POST /api/sessions/{name}/events to reader"))
        let rows = try http(tcp, "/api/sessions", token: room).body
        #expect(rows.contains("room-7-a") && !rows.contains("lobby"))
        for path in ["", "/history", "/events", "/timers"] {
            #expect(try http(tcp, "/api/sessions/lobby\(path)", token: room).status == "403", "\(path)")
            #expect(try http(tcp, "/api/sessions/room-7-a\(path)", token: room).status == "200", "\(path)")
        }
        #expect(try !http(tcp, "/api/next", token: room).body.contains("lobby"))
        for path in ["/api/devices", "/api/stream?topic=session:lobby", "/api/stream?topic=history:lobby"] {
            #expect(try http(tcp, path, token: room).status == "403", "\(path)")
        }
        #expect(try post(tcp, #"{"name":"log","value":"debug"}"#, "/api/config", token: room).status == "403")
        #expect(try post(tcp, #"{"name":"room-8","flow":"turns"}"#, "/api/sessions", token: room).status == "403")
        #expect(try post(tcp, #"{"name":"room-7-b","flow":"turns"}"#, "/api/sessions", token: room).status == "201")
        let full = try post(tcp, #"{"name":"room-7-c","flow":"turns"}"#, "/api/sessions", token: room)
        #expect(full.status == "429" && full.body.contains("QUOTA"), "\(full)")
    }

    @Test func `Ten wrong tokens over HTTP block an IPv6 address, from any port`() throws {
        let token = try folder.makeToken("reader", "--role", "read")
        let tcp = try start("--http", "[::1]:0")
        let port = try #require(tcp.page)
        let status = { (token: String) in
            try Program(
                "/usr/bin/curl",
                [
                    "-s", "-m", "20", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Authorization: Bearer \(token)",
                    "http://[::1]:\(port)/api/sessions",
                ]
            ).output
        }
        #expect(try status(token) == "200")
        for _ in 0..<10 { #expect(try status("reader.guess") == "401") }
        #expect(try status("reader.guess") == "429" && status(token) == "429")
    }

    @Test func `A stream sends only the token's sessions, and ends when the token is revoked`() throws {
        let room = try folder.makeToken("room7", "--role", "play", "--sessions", "room-7-*")
        let tcp = try start("--http", "127.0.0.1:0")
        let port = try #require(tcp.page)
        let curl = try RunningProgram(
            "curl",
            [
                "-sN", "-m", "30", "-H", "Authorization: Bearer \(room)",
                "http://127.0.0.1:\(port)/api/stream?topic=sessions&topic=status",
            ])
        #expect(curl.says(#""whole":true"#) && curl.says("event: status"))
        try transcript("> SEND lobby pass\n< +second\n> SEND room-7-a pass\n< +second", to: tcp.daemon)
        #expect(curl.says(#""state":"second""#))
        #expect(curl.said.contains("room-7-a") && !curl.said.contains("lobby"), "\(curl.said)")
        // Revoking the token ends its streams.
        #expect(try Program(gamectlPath, ["token", "revoke", "room7", "--file", file]).status == 0)
        tcp.daemon.signal(SIGHUP)
        #expect([0, 18].contains(curl.waitForStatus()))
    }

    @Test func `A page login has its token's role, and ends when the token is revoked`() throws {
        let token = try folder.makeToken("room7", "--role", "read")
        let tcp = try start("--http", "127.0.0.1:0")
        let cookies = folder.path + "/cookies"
        #expect(try post(tcp, #"{"token":"room7.guess"}"#, "/login", token: nil).status == "401")
        #expect(
            try http(tcp, "-c", cookies, "-H", "Content-Type: application/json", "-d", #"{"token":"\#(token)"}"#, "/login")
                .status == "204")
        #expect(try http(tcp, "-b", cookies, "/api/sessions/lobby").status == "200")
        #expect(try http(tcp, "-b", cookies, "-X", "DELETE", "/api/sessions/lobby").status == "403")
        #expect(try Program(gamectlPath, ["token", "revoke", "room7", "--file", file]).status == 0)
        tcp.daemon.signal(SIGHUP)
        #expect(tcp.daemon.complains("notice: read the token file again"))
        #expect(try http(tcp, "-b", cookies, "/api/sessions/lobby").status == "401")
    }

    @Test func `HTTP clients at a trusted loopback address are guests, or have the role of their token`() throws {
        let token = try folder.makeToken("boss", "--role", "master")
        let tcp = try TcpDaemon(token: nil, ["--token-file", file, "--session", "lobby=turns", "--http", "127.0.0.1:0"])
        #expect(try http(tcp, "/api/sessions/lobby").status == "200")
        #expect(try post(tcp, #"{"name":"log","value":"debug"}"#, "/api/config", token: nil).status == "403")
        #expect(try post(tcp, #"{"name":"log","value":"debug"}"#, "/api/config", token: token).status == "200")
        #expect(
            try tcp.answer("SEND lobby pass", "CONFIG SET log debug", "AUTH \(token)", "CONFIG SET log debug").contains(
                "+second\r\n-NOPERM"))
    }
}
