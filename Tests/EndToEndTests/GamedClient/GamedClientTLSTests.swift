// The client library over TLS against a real daemon.

import Foundation
import GamedClient
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A client of the library through TLS` {
    private let daemon: RunningDaemon
    private let port: UInt16
    private let certificate: String
    private let key: String

    init() throws {
        let folder = RunningDaemon.newFolder()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        key = folder.path + "/key.pem"
        certificate = folder.path + "/certificate.pem"
        try Self.makeCertificate(certificate, key)
        (daemon, port) = try RunningDaemon.overTCP(
            ["--tls-cert", certificate, "--tls-key", key], in: folder, unprobed: "the probe does not speak TLS")
    }

    /// Writes a self-signed certificate for localhost and its key.
    private static func makeCertificate(_ path: String, _ key: String) throws {
        let words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=test -days 5".split(
            separator: " ")
        let made = try Program(
            "openssl",
            words.map(String.init) + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", path])
        try #require(made.status == 0, "openssl makes no certificate: \(made.errors)")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    }

    /// The long timeout allows for a busy machine.
    private func client(_ tls: GamedTLS?, timeout: Duration = .seconds(60)) throws -> Gamed {
        try Gamed(host: "localhost", port: port, tls: tls, timeout: timeout)
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func `Views, events and requests pass through TLS to a host that the certificate names`(host: String) async throws {
        let gamed = try Gamed(host: host, port: port, tls: GamedTLS(authority: certificate))
        let room = try await gamed.create("room", flow: "game")
        var views = room.views.makeAsyncIterator()
        #expect(await views.next()?.state == "introduction")
        try await room.send("startPlaying")
        try await room.send("chooseEpisode", 3)
        #expect(try await room.view().state == "choosingLevel")
        await gamed.close()
    }

    /// Requests exceed the socket buffers, so replies arrive while requests are still sent.
    @Test func `Many tasks send large requests through TLS while large replies arrive`() async throws {
        let gamed = try client(GamedTLS(authority: certificate))
        let text = String(repeating: "x", count: 60_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let name = "app-\(number)"
                    let app = try await gamed.create(name, flow: "startup")
                    #expect(try await app.send("deepLink", "/" + text).outcome == .postponed)
                    let view = try await app.view()
                    #expect(view.session == name && view.postponed.count == 1)
                }
            }
            try await group.waitForAll()
        }
        await gamed.close()
    }

    @Test func `A certificate without a trusted authority is refused`() async throws {
        let gamed = try client(GamedTLS(), timeout: .seconds(3))
        // On a busy machine the request may end before the first connection has failed.
        let error = try await again(while: { $0.description.contains("did not reply within") }) {
            try await #require(throws: GamedError.self) { try await gamed.flows() }
        }
        guard case .unavailable(let reason) = error else { Issue.record("\(String(describing: error))"); return }
        #expect(reason.contains("is not trusted"), "\(reason)")
    }

    @Test func `A file of TLS that is missing or is no certificate fails a request at once, not at its timeout`() async throws {
        for (authority, text) in [("/nowhere/ca.pem", "/nowhere/ca.pem"), (key, "certificate")] {
            let gamed = try client(GamedTLS(authority: authority), timeout: .seconds(600))
            let error = try await #require(throws: GamedError.self) { try await gamed.flows() }
            guard case .unavailable(let reason) = error else { Issue.record("\(error)"); continue }
            #expect(reason.contains(text) && !reason.contains("--tls"), "\(reason)")
        }
        let halved = try client(GamedTLS(authority: certificate, certificate: certificate), timeout: .seconds(600))
        let error = await #expect(throws: GamedError.self) { try await halved.flows() }
        #expect(error == .unavailable("a certificate requires its key, and a key its certificate"))
    }

    @Test func `A client without TLS at a TLS port gets an error that names TLS`() async throws {
        let gamed = try client(nil, timeout: .seconds(3))
        // On a busy machine the request may end before the first connection has failed.
        let error = try await again(while: { $0.description.contains("did not reply within") }) {
            try await #require(throws: GamedError.self) { try await gamed.flows() }
        }
        #expect(error.description.contains("TLS"), "\(error)")
    }

    @Test func `A TLS client at a plain port gets an error that asks whether the server speaks TLS`() async throws {
        let (plain, port) = try RunningDaemon.overTCP()
        defer { _ = plain }
        let gamed = try Gamed(host: "localhost", port: port, tls: GamedTLS(authority: certificate))
        let error = await #expect(throws: GamedError.self) { try await gamed.flows() }
        #expect(error?.description.contains("does it speak TLS?") == true, "\(String(describing: error))")
    }

    @Test(arguments: [Proxy.Direction.toServer, .toClient])
    func `No event is lost or accepted twice when a TLS connection is cut`(direction: Proxy.Direction) async throws {
        let (tls, port) = (GamedTLS(authority: certificate), Int(port))
        _ = try await client(tls).create("room", flow: "turns")
        typealias Cut = `A client whose connection breaks`
        let bytes = try await Cut.play("room", at: port, tls, cut: direction, after: nil)
        for place in stride(from: 1, through: bytes, by: 61) {
            _ = try await Cut.play("room", at: port, tls, cut: direction, after: place)
        }
    }
}
