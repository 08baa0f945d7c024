// gamectl health and doctor against servers that are not gamed, and the doctor's paths.

import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct `A server that is not a daemon` {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func gamectl(_ word: String, within limit: String = "60s") throws -> Program {
        try Program(gamectlPath, [word, "--within", limit], environment: ["GAMED_SOCKET": folder.socket])
    }

    @Test func `A server that is not a game daemon is reported as unhealthy`() throws {
        let stub = try StubDaemon(at: folder.socket, views: [:])
        defer { stub.leave() }
        let health = try gamectl("health")
        #expect(health.status == 2 && health.errors.contains("is not a game daemon"), "\(health)")
        let doctor = try gamectl("doctor")
        #expect(doctor.status == 2 && doctor.output.contains("is not a game daemon"), "\(doctor)")
    }

    @Test(arguments: [("-ERR unknown command 'FLOWS'\r\n", 2), ("-NOAUTH Authentication required.\r\n", 1)])
    func `A server that refuses a client without a token is a daemon only if it has a daemon's commands`(
        flows: String, status: Int32
    ) throws {
        // Redis reports an unknown command also to a client without its password.
        let replies = ["HELLO": "-NOAUTH Authentication required.\r\n", "FLOWS": flows]
        let stub = try StubDaemon(at: folder.socket, views: [:], replies: replies)
        defer { stub.leave() }
        for word in ["health", "doctor"] {
            let end = try gamectl(word)
            let text = end.output + end.errors
            #expect(end.status == status && text.contains(status == 2 ? "is not a game daemon" : "NOAUTH"), "\(end)")
        }
    }

    @Test func `A server that sends its reply byte by byte is reported as not answering`() throws {
        let server = try SlowServer(at: folder.socket)
        defer { server.stop() }
        for word in ["health", "doctor"] {
            let end = try gamectl(word, within: "1s")
            #expect(end.status == 2 && (end.output + end.errors).contains("does not answer"), "\(end)")
        }
    }
}

@Suite struct `gamectl doctor` {
    @Test func `A relative data directory is resolved against the daemon's working directory`() throws {
        let folder = try Folder()
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        let relative = String(repeating: "../", count: depth) + folder.path.dropFirst() + "/data"
        let daemon = try RunningDaemon(["--socket", folder.socket, "--http", "none", "--data", relative])
        try #require(daemon.readLine() != nil)
        // From this deeper directory, the relative path names another directory.
        let deep = folder.path + "/a/b/c/d/e/f/g/h/i"
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
        let command = "cd \(deep) && \(gamectlPath) --socket \(folder.socket) --json doctor"
        let found = try Program("/bin/sh", ["-c", command])
        #expect(found.output.contains("only the daemon's user can enter ") && found.output.contains("/data"), "\(found)")
        #expect(!found.output.contains("cannot be looked at"), "\(found)")
    }
}

extension `gamectl doctor` {
    @Test func `A data directory that is gone is reported as bad`() throws {
        let folder = try Folder()
        let daemon = try RunningDaemon(keepingIn: folder, ["--http", "none"])
        try #require(daemon.readLine() != nil)
        try FileManager.default.moveItem(atPath: folder.data, toPath: folder.data + ".away")
        let found = try Program(gamectlPath, ["--socket", folder.socket, "doctor"])
        #expect(found.output.contains("\(folder.data) is gone: changes are lost or refused"), "\(found)")
        try FileManager.default.moveItem(atPath: folder.data + ".away", toPath: folder.data)
    }

    @Test func `Flows that cannot be checked at the moment are reported as doubtful`() throws {
        let folder = try Folder()
        let info = "gamed_version:0.1.0\r\nprocess_id:1\r\n"
        let replies = ["INFO": "$\(info.utf8.count)\r\n\(info)\r\n", "RELOAD": "-BUSY another reload is being done\r\n"]
        let stub = try StubDaemon(at: folder.socket, views: [:], replies: replies)
        defer { stub.leave() }
        let found = try Program(gamectlPath, ["--socket", folder.socket, "doctor"])
        #expect(found.output.contains("they could not be checked: BUSY another reload is being done"), "\(found)")
    }
}

@Suite struct `An empty list of sessions` {
    @Test(arguments: [
        ("role=play source=ui sessions=room-7-*", "no session exists that this client may access: room-7-*"),
        ("role=read source=ui", "there are no sessions; a client with the role master creates them"),
        ("role=master source=ui", "there are no sessions; create one with: gamectl new room game"),
    ])
    func `gamectl sessions says what is true for the client's token`(line: String, sentence: String) throws {
        let folder = try Folder()
        let info = "id=3 user=screen \(line)\n"
        let replies = ["CLIENT": "$\(info.utf8.count)\r\n\(info)\r\n"]
        let stub = try StubDaemon(at: folder.socket, views: [:], replies: replies)
        defer { stub.leave() }
        let found = try Program(gamectlPath, ["--socket", folder.socket, "sessions"])
        #expect((found.output, found.errors, found.status) == ("", sentence + "\n", 0))
        let terminal = try Terminal(gamectlPath, ["--socket", folder.socket, "watch"], home: URL(filePath: folder.path))
        try terminal.wait(for: sentence)
    }
}

/// A server that sends each client an endless line, one byte per 100 ms.
private final class SlowServer: Sendable {
    private let listener: Int32

    init(at path: String) throws {
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let status = withUnsafeBytes(of: &address) { bytes in
            bind(listener, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        try #require(status == 0 && listen(listener, 8) == 0)
        Thread.detachNewThread { [listener] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                while send(descriptor, "+", 1, Int32(MSG_NOSIGNAL)) == 1 { usleep(100_000) }
                close(descriptor)
            }
            close(listener)
        }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}
