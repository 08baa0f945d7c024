// Access over TCP, with and without a token.

import Foundation
import Testing
import TestSupport

/// A daemon that listens at a free TCP port.
struct TcpDaemon {
    static let token = "correct-horse-battery"
    let daemon: RunningDaemon
    let port: Int
    let tokenFile: URL
    /// The page's port; nil without `--http`.
    let page: Int?

    /// Without `token`, loopback is trusted unless `isTrusted` is false.
    init(
        token: String? = Self.token, _ more: [String] = [], maxDescriptors: Int? = nil, isTrusted: Bool = true,
        unprobed: String? = nil
    ) throws {
        let folder = RunningDaemon.newFolder()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        tokenFile = folder.appending(path: "token")
        var words = ["--socket", folder.appending(path: "gamed.sock").path, "--listen", "localhost:0", "--time", "virtual"]
        if let token {
            try Self.write(token, to: tokenFile)
            words += ["--token-file", tokenFile.path]
        } else if isTrusted {
            words.append("--trust-loopback")
        }
        daemon = try RunningDaemon(words + more, in: folder, maxDescriptors: maxDescriptors, unprobed: unprobed)
        let line = try #require(daemon.readLine())
        let address = try #require(line.split(separator: ",").last, "\(line)")
        port = try #require(address.split(separator: ":").last.flatMap { Int($0) }, "\(line)")
        var page: String?
        while more.contains("--http"), page?.hasPrefix("page: ") != true {
            let line: String = try #require(daemon.readLine())
            page = line
        }
        self.page = page.flatMap { $0.split(separator: "/").dropFirst().first?.split(separator: ":").last.flatMap { Int($0) } }
    }

    static func write(_ token: String, to file: URL) throws {
        try (token + "\n").write(to: file, atomically: true, encoding: .utf8)
        chmod(file.path, 0o600)
    }

    func connect() throws -> TestClient { try TestClient(port: port) }

    /// Sends these lines over a new connection and returns the replies.
    func answer(_ lines: String...) throws -> String {
        let wire = try connect()
        wire.send(lines.map { $0 + "\r\n" }.joined() + "QUIT\r\n")
        return wire.readToEnd()
    }
}

@Suite(.serialized) struct `A daemon on TCP` {
    @Test func `Local clients are admitted without a token if loopback is trusted`() throws {
        let tcp = try TcpDaemon(token: nil, ["--session", "room=turns"])
        #expect(try tcp.answer("SEND room pass") == "+second\r\n+OK\r\n")
        #expect(try tcp.answer("AUTH x").hasPrefix("-ERR no token is needed here"))
        #expect(
            try tcp.answer("CONFIG SET connections 5").hasPrefix(
                "-NOPERM User 'guest' has no permissions to run the 'CONFIG SET' command"))
    }

    @Test func `A daemon with a token refuses TCP requests before AUTH and executes them after it`() throws {
        let tcp = try TcpDaemon(["--session", "room=turns"])
        #expect(
            try tcp.answer("SEND room pass", "NOSUCH", "PING", "HELLO 3", "AUTH \(TcpDaemon.token)", "SEND room pass", "PING")
                == String(repeating: "-NOAUTH Authentication required: AUTH token\r\n", count: 4)
                + "+OK\r\n+second\r\n+PONG\r\n+OK\r\n")
        #expect(try tcp.answer("AUTH default \(TcpDaemon.token)", "CONFIG SET connections 50") == "+OK\r\n+OK\r\n+OK\r\n")
        #expect(try tcp.answer("HELLO 3 AUTH default \(TcpDaemon.token) SETNAME me").hasPrefix("%7\r\n"))
        #expect(try tcp.answer("AUTH \(TcpDaemon.token)", "RESET", "PING").contains("+RESET\r\n-NOAUTH "))
        try transcript("> PING\n< +PONG", to: tcp.daemon)
    }

    @Test func `HELLO with an invalid client name is refused and does not authenticate the client`() throws {
        let (tcp, long) = (try TcpDaemon(), String(repeating: "x", count: 256))
        let hello = "HELLO 3 AUTH default \(TcpDaemon.token) SETNAME"
        let unauthenticated = "-NOAUTH Authentication required: AUTH token"
        let expected = [
            "-ERR Client names cannot contain spaces, newlines or special characters.", unauthenticated,
            "-LIMIT a client's name has at most 255 bytes, not 256", unauthenticated, unauthenticated, "+OK",
        ]
        let answer = try tcp.answer("\(hello) \"a b\"", "PING", "\(hello) \(long)", "PING", "HELLO 3 SETNAME \"a b\"")
        #expect(answer == expected.map { $0 + "\r\n" }.joined())
    }

    @Test func `Wrong tokens are refused, and the third ends the connection`() throws {
        let tcp = try TcpDaemon()
        let wrong = "-WRONGPASS invalid token or user name\r\n"
        #expect(try tcp.answer("AUTH \(TcpDaemon.token)x", "HELLO 3 AUTH ann \(TcpDaemon.token)") == wrong + wrong + "+OK\r\n")
        let wire = try tcp.connect()
        wire.send(String(repeating: "AUTH guess\r\n", count: 100))
        #expect(wire.readToEnd() == wrong + wrong + wrong)
        #expect(tcp.daemon.complains("warning: a wrong token from tcp:127.0.0.1:"))
    }

    @Test func `An unauthenticated client may send only small requests`() throws {
        let tcp = try TcpDaemon()
        for (bytes, answer) in [
            ("*11\r\n", "-ERR Protocol error: unauthenticated multibulk length\r\n"),
            ("*2\r\n$4\r\nAUTH\r\n$16385\r\n", "-ERR Protocol error: unauthenticated bulk length\r\n"),
        ] {
            let wire = try tcp.connect()
            wire.send(bytes)
            #expect(wire.readToEnd() == answer)
        }
        // An authenticated client may send more.
        let wire = try tcp.connect()
        wire.send("AUTH \(TcpDaemon.token)\r\n*2\r\n$4\r\nECHO\r\n$20000\r\n\(String(repeating: "x", count: 20_000))\r\n")
        #expect(wire.read(5 + 8 + 20_002).hasSuffix("xx\r\n"))
    }

    @Test func `Unauthenticated clients are limited in number and time, and an authenticated client stays`() throws {
        let few = try TcpDaemon(["--limit", "stranger-ms=600000", "--limit", "strangers=3"])
        let crowd = try (0..<5).map { _ in try few.connect() }
        let room = "-NOAUTH a newer connection has replaced this one: at most 3 can be open without a token\r\n"
        for replaced in crowd.prefix(2) { #expect(replaced.readToEnd() == room) }
        for other in crowd.dropFirst(2) { #expect(!other.hasInput()) }

        let brief = try TcpDaemon(["--limit", "stranger-ms=300", "--limit", "strangers=100"])
        let silent = try (0..<3).map { _ in try brief.connect() }
        for client in silent { #expect(client.readToEnd() == "-NOAUTH no token was sent within 300 ms\r\n") }
        #expect(brief.daemon.complains("it has not authenticated"))
        var known = try brief.connect()
        // On a busy machine the token may come too late.
        let isKnown = try eventually {
            known = try brief.connect()
            known.send("AUTH \(TcpDaemon.token)\r\n")
            return known.read(5) == "+OK\r\n"
        }
        #expect(isKnown)
        Thread.sleep(forTimeInterval: 0.5)
        known.send("PING\r\n")
        #expect(known.read(7) == "+PONG\r\n")
    }

    @Test func `An address that other machines can reach needs a token`() throws {
        let end = try RunningDaemon(["--listen", "0.0.0.0:0"]).waitForEnd()
        #expect(end.status == 64)
        #expect(
            end.errors
                == "gamed: other machines can reach 0.0.0.0:0, so clients need a token there: --token-file FILE, or GAMED_TOKEN=…\n"
        )
    }

    @Test func `A loopback address needs a token unless loopback is trusted`() throws {
        let end = try RunningDaemon(["--listen", "127.0.0.1:0"]).waitForEnd()
        #expect(end.status == 64)
        #expect(
            end.errors
                == "gamed: every user of this machine can reach 127.0.0.1:0, so clients need a token there: --token-file FILE, or "
                + "GAMED_TOKEN=…; --trust-loopback admits local clients without a token\n")
    }

    @Test func `A token from the environment allows an address that other machines can reach`() throws {
        let folder = RunningDaemon.newFolder()
        let daemon = try RunningDaemon(
            ["--socket", folder.appending(path: "s").path, "--listen", "0.0.0.0:0"], in: folder,
            environment: ["GAMED_TOKEN": TcpDaemon.token])
        let line = try #require(daemon.readLine())
        let wire = try TestClient(port: try #require(line.split(separator: ":").last.flatMap { Int($0) }))
        wire.send("PING\r\nAUTH \(TcpDaemon.token)\r\n")
        let expected = "-NOAUTH Authentication required: AUTH token\r\n+OK\r\n"
        #expect(wire.read(expected.utf8.count) == expected)
    }

    @Test func `A port in use is reported with status 73`() throws {
        let tcp = try TcpDaemon(token: nil)
        let other = try RunningDaemon([
            "--socket", tcp.daemon.folder.path + "/other", "--listen", "127.0.0.1:\(tcp.port)", "--trust-loopback",
        ])
        let end = other.waitForEnd()
        #expect(end.status == 73)
        let advice = "end the program that listens there, or choose another port (0 is any free one)"
        #expect(end.errors == "gamed: cannot listen at 127.0.0.1:\(tcp.port): Address already in use; \(advice)\n")
        #expect(!FileManager.default.fileExists(atPath: tcp.daemon.folder.path + "/other"))
    }

    @Test func `SIGHUP reloads the token file, and an invalid file leaves the old token valid`() throws {
        let tcp = try TcpDaemon()
        try TcpDaemon.write("a-new-and-better-token", to: tcp.tokenFile)
        tcp.daemon.signal(SIGHUP)
        #expect(tcp.daemon.complains("notice: read the token file again"))
        #expect(try tcp.answer("AUTH \(TcpDaemon.token)").hasPrefix("-WRONGPASS"))
        #expect(try tcp.answer("AUTH a-new-and-better-token").hasPrefix("+OK"))
        try TcpDaemon.write("short", to: tcp.tokenFile)
        tcp.daemon.signal(SIGHUP)
        #expect(tcp.daemon.complains("error: kept the old token file: the token in \(tcp.tokenFile.path) has 5 characters"))
        #expect(try tcp.answer("AUTH a-new-and-better-token").hasPrefix("+OK"))
        try FileManager.default.removeItem(at: tcp.tokenFile)
        tcp.daemon.signal(SIGHUP)
        #expect(tcp.daemon.complains("kept the old token file: cannot read the token file"))
        #expect(try tcp.answer("AUTH a-new-and-better-token").hasPrefix("+OK"))
    }

    @Test func `gamectl reads its token from a file, and reports a missing or empty token`() throws {
        let tcp = try TcpDaemon()
        let address = "127.0.0.1:\(tcp.port)"
        let stranger = try Program(gamectlPath, ["--connect", address, "flows"], environment: ["GAMED_TOKEN": ""])
        #expect(stranger.status == 1)
        #expect(
            stranger.errors
                == "gamectl: NOAUTH Authentication required: AUTH token; give the daemon's token with --token-file FILE, or in GAMED_TOKEN\n"
        )
        let words = ["--connect", address, "--token", "not-the-right-token"]
        let wrong = "the token of --token was refused: invalid token or user name"
        let refused = try Program(gamectlPath, words + ["flows"])
        #expect((refused.status, refused.errors) == (1, "gamectl: WRONGPASS \(wrong)\n"))
        let doctor = try Program(gamectlPath, words + ["doctor"])
        #expect(doctor.status == 1 && doctor.output.contains("answers: WRONGPASS \(wrong)"), "\(doctor)")
        let variable = ["GAMED_TOKEN": "not-the-right-token"]
        let other = try Program(gamectlPath, ["--connect", address, "doctor"], environment: variable)
        #expect(other.status == 1 && other.output.contains("the token in the variable GAMED_TOKEN was refused"), "\(other)")
        let known = try Program(gamectlPath, ["--connect", address, "--token-file", tcp.tokenFile.path, "flows"])
        #expect((known.status, known.errors) == (0, ""))
        let nowhere = try Program(gamectlPath, ["--token-file", "/nowhere/token", "flows"])
        #expect((nowhere.status, nowhere.errors) == (74, "gamectl: cannot read /nowhere/token: there is no such file\n"))
        try "\n".write(to: tcp.tokenFile, atomically: true, encoding: .utf8)
        let empty = try Program(gamectlPath, ["--token-file", tcp.tokenFile.path, "flows"])
        #expect(empty.status == 65 && empty.errors.contains("its first line is empty"), "\(empty.errors)")
    }
}
