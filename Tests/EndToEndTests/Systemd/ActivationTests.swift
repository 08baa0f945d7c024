// Socket activation with systemd-socket-activate.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct `Sockets opened for the daemon` {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// A gamed that systemd-socket-activate starts when a client connects.
    private func activate(_ sockets: [(name: String, place: String)], _ words: [String] = []) throws -> RunningProgram {
        let program = "/usr/bin/systemd-socket-activate"
        try #require(FileManager.default.isExecutableFile(atPath: program), "make deps-test installs it")
        let settings = ["GAMED_CONFIG=none", "TMPDIR=\(folder.path)"].flatMap { ["-E", $0] }
        let names = sockets.allSatisfy(\.name.isEmpty) ? [] : ["--fdname=" + sockets.map(\.name).joined(separator: ":")]
        let daemon = [productsDirectory.appending(path: "gamed").path, "--data", "none"]
        return try RunningProgram(program, sockets.flatMap { ["-l", $0.place] } + names + settings + daemon + words)
    }

    private func connected(_ connect: () throws -> TestClient) throws -> TestClient {
        var wire: TestClient?
        _ = eventually {
            wire = try? connect()
            return wire != nil
        }
        return try #require(wire)
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `Inherited sockets serve by their names, and keep their file and mode after a stop`() throws {
        let (tcp, page) = (try freePort(), try freePort())
        let path = folder.path + "/elsewhere.sock"
        let places = [("gamed", path), ("tcp", "127.0.0.1:\(tcp)"), ("http", "127.0.0.1:\(page)")]
        let options = ["--socket", folder.socket, "--listen", "127.0.0.1:\(tcp)", "--trust-loopback"]
        let daemon = try activate(places, options)
        #expect(eventually { FileManager.default.fileExists(atPath: path) })
        // The socket's creator sets its mode; gamed must not change it.
        chmod(path, 0o640)

        let unix = try connected { try TestClient(path) }
        unix.send("INFO server\r\n")
        var addresses = unix.readLine()
        while !addresses.hasPrefix("addresses:"), !addresses.isEmpty { addresses = unix.readLine() }
        #expect(addresses == "addresses:\(path), 127.0.0.1:\(tcp), 127.0.0.1:\(page)")
        let network = try TestClient(port: tcp)
        network.send("PING\r\n")
        #expect(network.read(7) == "+PONG\r\n")
        let web = try TestClient(port: page)
        web.send("GET /health HTTP/1.1\r\nHost: 127.0.0.1:\(page)\r\nConnection: close\r\n\r\n")
        #expect(web.readLine().hasPrefix("HTTP/1.1 "))
        #expect(!FileManager.default.fileExists(atPath: folder.socket))

        #expect(daemon.stop() == 0)
        #expect(try mode(path) == 0o640)
    }

    @Test func `The file of an inherited socket admits allowed users, until a reload that allows none`() throws {
        let (path, settings) = (folder.path + "/elsewhere.sock", folder.path + "/gamed.json5")
        func allow(_ users: String) throws {
            try "{ 'allow-user': [\(users)] }".write(toFile: settings, atomically: true, encoding: .utf8)
        }
        try allow("'4001:play'")
        let daemon = try activate([("gamed", path)], ["--config", settings])
        #expect(eventually { FileManager.default.fileExists(atPath: path) })
        chmod(path, 0o600)
        let unix = try connected { try TestClient(path) }
        unix.send("PING\r\n")
        #expect(unix.read(7) == "+PONG\r\n")
        // The bound of named users and groups is shown as the group's permissions.
        #expect(try mode(path) == 0o660)
        try allow("")
        unix.send("RELOAD\r\n")
        #expect(eventually { (try? mode(path)) == 0o600 })
        #expect(daemon.stop() == 0)
    }

    @Test func `Inherited sockets without names serve by address family and by the page's port`() throws {
        let (tcp, page) = (try freePort(), try freePort())
        let path = folder.path + "/elsewhere.sock"
        let options = ["--http", "127.0.0.1:\(page)", "--trust-loopback"]
        let daemon = try activate([("", "127.0.0.1:\(page)"), ("", path), ("", "127.0.0.1:\(tcp)")], options)
        let unix = try connected { try TestClient(path) }
        unix.send("PING\r\n")
        #expect(unix.read(7) == "+PONG\r\n")
        let network = try TestClient(port: tcp)
        network.send("PING\r\n")
        #expect(network.read(7) == "+PONG\r\n")
        let web = try TestClient(port: page)
        web.send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\(page)\r\nConnection: close\r\n\r\n")
        #expect(web.readLine().hasPrefix("HTTP/1.1 200"))
        #expect(daemon.stop() == 0)
    }

    @Test func `An inherited socket needs a known name, and a token if other machines can reach it`() throws {
        let path = folder.path + "/elsewhere.sock"
        let nameless = try activate([("room", path)])
        _ = try connected { try TestClient(path) }
        let end = nameless.waitForEnd()
        #expect(end.status == 78)
        #expect(end.errors.contains("gamed: socket activation: 'room' is not a socket of gamed; FileDescriptorName= is gamed"))

        let port = try freePort()
        let open = try activate([("tcp", "0.0.0.0:\(port)")], ["--socket", folder.socket])
        _ = try connected { try TestClient(port: port) }
        let refused = open.waitForEnd()
        #expect(refused.status == 78)
        #expect(
            refused.errors.contains(
                "socket activation: other machines can reach 0.0.0.0:\(port), so clients need a token there"))
    }
}
